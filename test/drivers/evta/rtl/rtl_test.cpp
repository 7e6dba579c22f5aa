// SPDX-License-Identifier: Apache-2.0
// Compares the checker and the cycle model with complete RTL designs of VTA, simulated cycle by cycle. The first beat
// of a read arrives 40 cycles after its request in the HLS design, as hls_zynq7020 assumes, and one cycle after it in
// the Chisel design.
#include <catch2/catch.hpp>
#include <iterator>
#include <span>

#include "drivers/evta/cycles/cycle_model.h"
#include "test/drivers/evta/rtl/rtl_data.h"
#include "test/support/evta/replay_in_both.h"
#include "test/support/test_level.h"

namespace nestrt::evta::test {
namespace {

const Configuration& hls() { return *find_configuration("1x16_15_15_18_17"); }
const Configuration& chisel() { return *find_configuration("1x16_13_15_18_17"); }

uint64_t cycles_of(const RtlVector& vector, const Configuration& configuration, const CycleProfile& profile) {
  const auto count = count_cycles(Program{&configuration, vector.program.instructions, {}}, profile);
  REQUIRE(count);
  return count->cycles;
}

// Checks that the checker rejects the program if the RTL computes it incorrectly. Otherwise checks that the program
// passes the checker and both simulators.
void check_verdict(const RtlVector& vector, const Configuration& configuration, const std::string& column) {
  const Status status = replay_in_both(vector.program, configuration, OnChip::kZero);
  INFO(vector.program.name << ": " << status.to_string());
  CHECK(status.ok() == (vector.measured.at(column) == 1));
  if (!status.ok()) CHECK(status.message().starts_with("checker: "));
}

TEST_CASE("Exactly the programs that the RTL computes incorrectly are rejected") {
  for (const char* name : {"hazards", "empty_transfers"}) {
    const auto vectors = rtl_vectors(name);
    if (!vectors) return;
    for (const RtlVector& vector : *vectors) check_verdict(vector, hls(), "right");
  }
}

// Transfers that store rely on accumulators that the reset zeroed. A driver cannot rely on this.
TEST_CASE("Single transfers pass after a reset and store what the RTL stores") {
  const auto vectors = rtl_vectors("transfers");
  if (!vectors) return;
  for (const RtlVector& vector : *vectors) {
    INFO(vector.program.name);
    CHECK(replay_in_both(vector.program, hls(), OnChip::kZero).ok());
    CHECK(replay_in_both(vector.program, hls()).ok() == vector.program.outputs.empty());
  }
}

TEST_CASE("Layer programs pass the checker, except those with too many micro-ops for the Chisel design") {
  using nestrt::test::TestLevel;
  const size_t count = nestrt::test::test_level() == TestLevel::kQuick ? 3 : std::size(kRtlNetworks);
  for (const char* network : std::span(kRtlNetworks).first(count)) {
    const auto vectors = rtl_vectors(network);
    if (!vectors) return;
    for (const RtlVector& vector : *vectors) {
      const Status status = replay_in_both(vector.program, hls());
      INFO(vector.program.name << ": " << status.to_string());
      CHECK(status.ok());
      check_verdict(vector, chisel(), "chisel_right");
    }
  }
}

TEST_CASE("A transfer without contention takes exactly the cycles of the HLS RTL") {
  const auto vectors = rtl_vectors("transfers");
  if (!vectors) return;
  CycleProfile next_cycle = *find_cycle_profile("hls_zynq7020");
  next_cycle.read_latency = 1;  // no memory answers in the cycle of the request
  for (const RtlVector& vector : *vectors) {
    INFO(vector.program.name);
    CHECK(cycles_of(vector, hls(), *find_cycle_profile("hls_zynq7020")) == vector.measured.at("cycles_latency_40"));
    CHECK(cycles_of(vector, hls(), next_cycle) == vector.measured.at("cycles_latency_0"));
  }
}

// Bounds for the ratio of the model's cycles to the RTL's, for a layer and for a whole network.
struct Bounds {
  double least, most, of_total;
};

void check_cycles(const char* network, const Configuration& configuration, std::string_view profile,
                  const std::string& column, const Bounds& bounds) {
  const auto vectors = rtl_vectors(network);
  if (!vectors) return;
  double modelled = 0, measured = 0;
  for (const RtlVector& vector : *vectors) {
    const auto cycles = static_cast<double>(cycles_of(vector, configuration, *find_cycle_profile(profile)));
    const auto rtl = static_cast<double>(vector.measured.at(column));
    INFO(network << " " << vector.program.name);
    CHECK(cycles > bounds.least * rtl);
    CHECK(cycles < bounds.most * rtl);
    modelled += cycles;
    measured += rtl;
  }
  INFO(network << ": " << modelled << " of " << measured);
  CHECK(modelled == Approx(measured).epsilon(bounds.of_total));
}

TEST_CASE("Modelled cycles are within 1 % of the HLS RTL for networks, and within 5 % for each layer") {
  for (const char* network : kRtlNetworks)
    check_cycles(network, hls(), "hls_zynq7020", "cycles_latency_40", {0.95, 1.05, 0.01});
}

TEST_CASE("Every layer takes exactly the cycles of the Chisel RTL") {
  for (const char* network : kRtlNetworks) {
    const auto vectors = rtl_vectors(network);
    if (!vectors) return;
    for (const RtlVector& vector : *vectors) {
      INFO(network << " " << vector.program.name);
      CHECK(cycles_of(vector, chisel(), *find_cycle_profile("chisel_16_reads")) ==
            vector.measured.at("chisel_cycles_latency_1"));
    }
  }
}

// The published RTL is an earlier version that waits for each read, so short rows are slower.
TEST_CASE("For each network, the cycles of the published Chisel RTL are within 2 % of those of the later RTL") {
  for (const char* network : kRtlNetworks)
    check_cycles(network, chisel(), "chisel2021", "chisel_cycles_latency_1", {0.95, 1.2, 0.02});
}

}  // namespace
}  // namespace nestrt::evta::test
