// SPDX-License-Identifier: Apache-2.0
// The table of the units under test.
#include <algorithm>
#include <catch2/catch.hpp>

#include "drivers/evta/driver/evta_unit.h"
#include "drivers/evta/simulator/simulator_transport.h"
#include "drivers/null/null_unit.h"
#include "drivers/vendor/vendor_unit.h"
#include "nestrt/open_units.h"
#include "test/drivers/conformance/units_under_test.h"
#include "test/drivers/null/copy_program.h"
#include "test/drivers/vendor/faulty_skeleton.h"
#include "test/drivers/vendor/isolation/crashing_plugin.h"
#include "test/drivers/vendor/skeleton_programs.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/plan/copy_plan.h"

namespace nestrt::test {
namespace {

// --- The CPU: kernels, on the threads of the submitters.

OpenedUnit open_cpu() {
  auto units = open_units("cpu", {.num_threads = 2});
  if (!units) FAIL(units.error().to_string());
  return {units->front(), nullptr};
}

UnitUnderTest cpu_row() {
  UnitUnderTest row;
  row.name = "cpu";
  row.open = open_cpu;
  row.copy_plan = [] { return evta::test::copy_plan(evta::kConfigurations[0]); };
  row.network = [](int branches, uint32_t seed) {
    return evta::test::random_network(evta::kConfigurations[0], branches, seed);
  };
  row.damages = {
      {"axes that the operator does not have",
       [](plan::Tables& tables, plan::Program&) {
         std::get<ops::Transpose>(tables.operators[0].attributes).permutation = {0, 2};
       }},
      {"a result whose shape the operator does not produce",
       [](plan::Tables& tables, plan::Program&) { std::swap(tables.tensors[1].shape[0], tables.tensors[1].shape[1]); }},
  };
  row.exclusions = {
      {"its programs have no payload, only names of kernels; the plan's verifier rejects programs of another kind or "
       "configuration",
       {"a program for another configuration is rejected", "a program of another kind is rejected",
        "a truncated program is rejected", "a program with a changed byte is rejected or stays in its memory"}},
      {"it is the host, so it is the fallback of other units and has no deadline",
       {"an expired unit deadline ends a run without results",
        "a session runs programs for another configuration of the unit on the host",
        "the host replaces a failed unit within the same run", "the host replaces a hanging unit after its time limit",
        "without a host the session fails with its unit"}},
      {"kernels do not hang, and submit() returns when they have run: no active or queued run exists that another "
       "thread could end except between operators",
       cases_that_stop_a_run()},
      {"kernels do not fail, because prepare() rejects everything that they do not support",
       {"a run that fails ends with the reason and a probe restores the unit",
        "a unit reports a failed probe and is restored by a successful one",
        "a failed run accesses no memory afterwards", "submissions after a run that fails are also answered"}},
  };
  return row;
}

// --- EVTA: instructions, on a simulated accelerator.

class EvtaFaults final : public FaultControl {
 public:
  void fail_next_run() override { injector->next_run(evta::Fault::kDmaError); }
  void hang_next_run() override { injector->next_run(evta::Fault::kHang); }
  void forget() override { injector->forget(); }
  bool all_begun() override { return injector->all_begun(); }

  const std::shared_ptr<evta::FaultInjector> injector = std::make_shared<evta::FaultInjector>();
};

OpenedUnit open_evta(const evta::Configuration& configuration, evta::HostView view) {
  auto faults = std::make_shared<EvtaFaults>();
  evta::SimulatorOptions simulator;
  simulator.host_view = view;
  simulator.stale = std::byte{0xa5};
  simulator.faults = faults->injector;
  auto unit = evta::open_evta_unit({&configuration, 0}, evta::make_simulator_transport(simulator));
  if (!unit) FAIL(unit.error().to_string());
  return {*unit, std::move(faults)};
}

UnitUnderTest evta_row(const evta::Configuration& configuration, evta::HostView view = evta::HostView::kShared) {
  UnitUnderTest row = evta_under_test(configuration);
  if (view == evta::HostView::kSeparate) row.name += " with separate memory";
  if (view == evta::HostView::kCached) row.name += " with a non-coherent cache";
  row.open = [&configuration, view] { return open_evta(configuration, view); };
  row.damages.push_back({"an input at another address than the program reads",
                         [](plan::Tables&, plan::Program& program) { program.ranges[2].address += 64; }});
  return row;
}

// --- The null unit: copies of bytes.

class NullFaults final : public FaultControl {
 public:
  void fail_next_run() override { device->next_run(null::Fault::kError); }
  void hang_next_run() override { device->next_run(null::Fault::kHang); }
  void forget() override { device->forget_faults(); }
  bool all_begun() override { return device->all_begun(); }

  const std::shared_ptr<null::Device> device = std::make_shared<null::Device>();
};

OpenedUnit open_null() {
  auto faults = std::make_shared<NullFaults>();
  auto unit = null::open_null_unit(0, faults->device);
  if (!unit) FAIL(unit.error().to_string());
  return {*unit, std::move(faults)};
}

PlanBuilder with_null_programs(PlanBuilder builder) {
  null::test::add_programs(builder);
  return builder;
}

UnitUnderTest null_row() {
  UnitUnderTest row;
  row.name = "null";
  row.open = open_null;
  row.copy_plan = [] { return with_null_programs(evta::test::copy_plan(evta::kConfigurations[0])); };
  row.network = [](int branches, uint32_t seed) {
    return with_null_programs(evta::test::random_network(evta::kConfigurations[0], branches, seed));
  };
  row.damages = {
      {"a constant of another program",
       [](plan::Tables& tables, plan::Program& program) {
         program.segments[0] = tables.branches[0].programs[1].segments[2];
       }},
      {"ranges of different sizes", [](plan::Tables&, plan::Program& program) { program.ranges[0].size -= 1; }},
      {"one range fewer than it copies", [](plan::Tables&, plan::Program& program) { program.ranges.pop_back(); }},
  };
  return row;
}

// --- A vendor's plug-in: the skeleton of examples/vendor.

class PluginFaults final : public FaultControl {
 public:
  void fail_next_run() override { faults->next_run(vendor::test::Faults::Kind::kError); }
  void hang_next_run() override { faults->next_run(vendor::test::Faults::Kind::kHang); }
  void forget() override { faults->forget(); }
  bool all_begun() override { return faults->all_begun(); }

  const std::shared_ptr<vendor::test::Faults> faults = std::make_shared<vendor::test::Faults>();
};

OpenedUnit open_plugin() {
  auto faults = std::make_shared<PluginFaults>();
  auto unit = vendor::open_vendor_unit(vendor::test::faulty_skeleton(faults->faults), 0);
  if (!unit) FAIL(unit.error().to_string());
  return {*unit, std::move(faults)};
}

PlanBuilder with_skeleton_programs(PlanBuilder builder) {
  vendor::test::add_skeleton_programs(builder);
  return builder;
}

UnitUnderTest plugin_row(std::string name, OpenedUnit (*open)()) {
  UnitUnderTest row;
  row.name = std::move(name);
  row.open = open;
  row.copy_plan = [] { return with_skeleton_programs(evta::test::copy_plan(evta::kConfigurations[0])); };
  row.network = [](int branches, uint32_t seed) {
    return with_skeleton_programs(evta::test::random_network(evta::kConfigurations[0], branches, seed));
  };
  row.damages = {
      {"a constant of another program",
       [](plan::Tables& tables, plan::Program& program) {
         program.segments[0] = tables.branches[0].programs[1].segments[2];
       }},
      {"ranges of different sizes", [](plan::Tables&, plan::Program& program) { program.ranges[0].size -= 1; }},
      {"two segments", [](plan::Tables&, plan::Program& program) { program.segments.push_back(program.segments[0]); }},
  };
  return row;
}

// --- The same plug-in in a separate process. A failure ends the process.

class IsolatedFaults final : public FaultControl {
 public:
  void fail_next_run() override { orders.give(vendor::test::Entry::kWork, vendor::test::Fault::kSegmentationFault); }
  void hang_next_run() override { orders.give(vendor::test::Entry::kWork, vendor::test::Fault::kHang); }
  void forget() override { orders.forget(); }
  bool all_begun() override { return orders.all_taken(); }

  vendor::test::Orders& orders = vendor::test::new_orders();
};

OpenedUnit open_isolated_plugin() {
  auto faults = std::make_shared<IsolatedFaults>();
  return {vendor::test::open_crashing_unit(), std::move(faults)};
}

}  // namespace

const std::vector<UnitUnderTest>& units_under_test() {
  static const std::vector<UnitUnderTest> kUnits = [] {
    std::vector<UnitUnderTest> units = {
        cpu_row(),
        evta_row(evta::test::stock_configuration()),
        evta_row(evta::test::stock_configuration(), evta::HostView::kSeparate),
        evta_row(evta::test::stock_configuration(), evta::HostView::kCached),
        evta_row(*evta::find_configuration("1x32_15_15_18_17")),
        evta_row(*evta::find_configuration("1x8_14_13_15_15")),
        null_row(),
        plugin_row("plug-in", open_plugin),
    };
    if (vendor::test::isolation_works()) units.push_back(plugin_row("isolated plug-in", open_isolated_plugin));
    return units;
  }();
  return kUnits;
}

namespace {

TEST_CASE("At least one unit runs every case of the conformance suite") {
  const auto excluded_cases = [](const UnitUnderTest& row) {
    size_t count = 0;
    for (const Exclusion& exclusion : row.exclusions) count += exclusion.cases.size();
    return count;
  };
  CHECK(std::ranges::any_of(units_under_test(), [&](const auto& row) { return excluded_cases(row) == 0; }));
}

}  // namespace
}  // namespace nestrt::test
