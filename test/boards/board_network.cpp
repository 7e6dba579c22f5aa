// SPDX-License-Identifier: Apache-2.0
#include "test/boards/board_network.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <random>
#include <vector>

#include "nestrt/open_units.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/plan/flat_costs.h"

namespace nestrt::boards {
namespace {

std::vector<float> image(int64_t elements, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<size_t>(elements));
  for (float& value : values) value = static_cast<float>(random() % 256) - 128;
  return values;
}

std::vector<float> run(Session& session, uint32_t seed) {
  const TensorInfo& in = session.inputs()[0];
  const TensorInfo& out = session.outputs()[0];
  const std::vector<float> x = image(in.shape.num_elements(), seed);
  std::vector<float> y(static_cast<size_t>(out.shape.num_elements()), -1.0f);
  const ConstTensorView input{DataType::kF32, in.shape, x.data()};
  const TensorView output{DataType::kF32, out.shape, y.data()};
  const Status status = session.run({&input, 1}, {&output, 1});
  CAPTURE(status.to_string());
  CHECK(status.ok());
  return y;
}

std::unique_ptr<Session> open_session(const std::shared_ptr<const Plan>& plan, const UnitList& units) {
  SessionOptions options;
  options.costs.measure = Measuring::kNever;
  options.adaptation.drift = 0;
  options.fault_tolerance.unit_timeout =
      std::chrono::hours(1);  // an emulated accelerator may run in an emulated processor
  options.fault_tolerance.timeout_factor = 0;
  options.costs.table = test::flat_costs(*plan, units, [](const UnitInfo& unit) { return unit.is_host ? 100 : 10; });
  auto session = Session::create(plan, units, options);
  if (!session) FAIL(session.error().to_string());
  return std::move(*session);
}

}  // namespace

BoardRuns check_plan(const std::shared_ptr<const Plan>& plan, const BoardSetup& setup, uint32_t runs) {
  Board& board = Board::instance();
  board.faults().forget();
  board.reset_card();
  board.set_configuration(evta::test::stock_configuration(), kAnyNumberOfMicroOps);
  board.set_coherent(setup.is_coherent);
  const UnitList host = *open_units("cpu", {.num_threads = 2});
  UnitList both = host;
  evta::XrtOptions options = options_for(setup.xclbin);
  for (options.instance = 0; options.instance < setup.instances; ++options.instance)
    both.push_back(open_unit(options, evta::test::stock_configuration(), options.instance));
  const auto alone = open_session(plan, host), together = open_session(plan, both);
  const int before = board.runs_started();
  for (uint32_t seed = 0; seed < runs; ++seed) CHECK(run(*together, seed) == run(*alone, seed));
  const int programs = board.runs_started() - before;
  CHECK(together->num_host_fallbacks() == 0);
  CHECK(programs >= static_cast<int>(runs));
  return {programs, together->memory()};
}

}  // namespace nestrt::boards
