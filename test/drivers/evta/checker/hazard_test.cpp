// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/checker/hazard.h"

#include <array>
#include <catch2/catch.hpp>
#include <deque>
#include <random>

#include "drivers/evta/checker/program_checker.h"
#include "test/support/evta/alu_operation.h"
#include "test/support/evta/hazard_finder.h"
#include "test/support/evta/random_program.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using evta::Alu;
using evta::AluOpcode;
using evta::Configuration;
using evta::Design;
using evta::Gemm;
using evta::Hazard;
using evta::kConfigurations;
using evta::Loop;
using evta::MicroOp;
using evta::Results;

// A loop over few accumulators, so that many steps collide.
struct SmallLoop {
  Alu alu;
  std::vector<MicroOp> micro_ops;
};

SmallLoop small_loop(std::mt19937& random) {
  const auto up_to = [&](uint32_t most) { return static_cast<uint32_t>(random() % (most + 1)); };
  SmallLoop result;
  result.micro_ops.resize(1 + up_to(4));
  for (MicroOp& micro_op : result.micro_ops) micro_op = {up_to(9), up_to(9), 0};
  result.alu.loop = {.uop_end = static_cast<uint32_t>(result.micro_ops.size()),
                     .iter_out = 1 + up_to(4),
                     .iter_in = 1 + up_to(4),
                     .dst_factor_out = up_to(8),
                     .dst_factor_in = up_to(5),
                     .src_factor_out = up_to(8),
                     .src_factor_in = up_to(5)};
  result.alu.opcode = static_cast<AluOpcode>(up_to(3));
  result.alu.use_immediate = up_to(2) == 0;
  result.alu.immediate = static_cast<int16_t>(up_to(8)) - 4;
  return result;
}

constexpr size_t kAccumulators = 10 + 4 * (8 + 5) + 1;
using Accumulators = std::array<int32_t, kAccumulators>;

// Returns the result of a pipeline in which the `late` steps after a write still read the old value.
Accumulators run(const SmallLoop& loop, size_t late) {
  Accumulators acc;
  std::mt19937 values(7);
  for (int32_t& value : acc) value = static_cast<int32_t>(values() % 2001) - 1000;
  std::deque<std::pair<size_t, int32_t>> writes;
  const auto write = [&] {
    acc[writes.front().first] = writes.front().second;
    writes.pop_front();
  };
  for (size_t o = 0; o < loop.alu.loop.iter_out; ++o)
    for (size_t i = 0; i < loop.alu.loop.iter_in; ++i)
      for (const MicroOp& u : loop.micro_ops) {
        const size_t dst = u.dst + o * loop.alu.loop.dst_factor_out + i * loop.alu.loop.dst_factor_in;
        const size_t src = u.src + o * loop.alu.loop.src_factor_out + i * loop.alu.loop.src_factor_in;
        const int32_t operand = loop.alu.use_immediate ? loop.alu.immediate : acc[src];
        writes.emplace_back(dst, evta::alu_operation(loop.alu.opcode, acc[dst], operand));
        if (writes.size() > late) write();
      }
  while (!writes.empty()) write();
  return acc;
}

TEST_CASE("The hazards found equal those found by iterating over all steps, on every design") {
  std::mt19937 random(1);
  std::array<int, 3> found = {};
  const int count = by_level(4000, 40000, 1000000);
  for (int i = 0; i < count; ++i) {
    const auto [alu, micro_ops] = small_loop(random);
    const Gemm gemm{.loop = alu.loop, .reset = i % 4 == 0};
    for (const Design design : {Design::kHls, Design::kChisel}) {
      const Hazard hazard = evta::find_hazard(design, alu, micro_ops);
      REQUIRE((hazard == Hazard::kNone) == find_hazard(design, alu, micro_ops).empty());
      REQUIRE((evta::find_hazard(design, gemm, micro_ops) == Hazard::kNone) ==
              find_hazard(design, gemm, micro_ops).empty());
      ++found[static_cast<size_t>(hazard)];
    }
  }
  for (const int kind : found) CHECK(kind > count / 10);
}

TEST_CASE("A loop without hazards has the same results in a pipeline that writes late") {
  std::mt19937 random(2);
  int without = 0;
  for (int i = 0; i < by_level(4000, 40000, 1000000); ++i) {
    const SmallLoop loop = small_loop(random);
    for (const Design design : {Design::kHls, Design::kChisel}) {
      if (evta::find_hazard(design, loop.alu, loop.micro_ops) != Hazard::kNone) continue;
      ++without;
      REQUIRE(run(loop, static_cast<size_t>(evta::late_alu_steps(design))) == run(loop, 0));
    }
  }
  CHECK(without > 1000);
}

TEST_CASE("A tensor operation may modify a result again with a different source only after the hazard distance") {
  const Loop loop{.uop_end = 2};
  const std::vector<MicroOp> same = {{8, 3, 0}, {8, 3, 0}}, other = {{8, 3, 0}, {8, 4, 0}};
  const auto hazard_of = [&](AluOpcode opcode, const std::vector<MicroOp>& micro_ops) {
    return evta::find_hazard(Design::kHls, {.loop = loop, .opcode = opcode}, micro_ops);
  };
  CHECK(hazard_of(AluOpcode::kMax, same) == Hazard::kNone);
  CHECK(hazard_of(AluOpcode::kMax, other) == Hazard::kWrite);
  CHECK(hazard_of(AluOpcode::kAdd, same) == Hazard::kWrite);
}

TEST_CASE("Iterating over all steps finds no hazard in random programs that the checker accepts") {
  const int wanted = by_level(500, 4000, 1000000);
  int accepted = 0, refused = 0;
  for (uint64_t seed = 0; accepted < wanted; ++seed) {
    const Configuration& configuration = kConfigurations[seed % kConfigurations.size()];
    TestProgram program = random_program(std::string(configuration.name), seed, Hazards::kFrequent);
    const Status status = evta::check_program(program.view(), Results::kPartial);
    const std::string hazard = find_hazard(program.view());
    if (status.ok() != hazard.empty())
      FAIL(configuration.name << " seed " << seed << ": " << status.message() << "; " << hazard);
    ++(status.ok() ? accepted : refused);
  }
  CHECK(refused > wanted / 4);
}

}  // namespace
}  // namespace nestrt::test
