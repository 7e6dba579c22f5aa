// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/debug/program_debugger.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "drivers/evta/simulator/simulator_transport.h"
#include "test/support/evta/faulty_transport.h"
#include "test/support/evta/random_program.h"

namespace nestrt::evta {
namespace {

constexpr std::chrono::seconds kLimit{60};

// Three tiles: each loads inputs, multiplies, adds 10, 20 or 30, shifts and stores.
nestrt::test::TestProgram three_tiles() {
  nestrt::test::TestProgram program;
  const auto bytes = [](size_t size) { return std::vector<std::byte>(size, std::byte{3}); };
  const uint32_t inputs = program.element(program.add_constant(bytes(3 * 4 * 16)), Memory::kInp);
  const uint32_t weights = program.element(program.add_constant(bytes(256)), Memory::kWgt);
  const uint32_t outputs = program.element(program.add_output(3 * 4 * 16), Memory::kOut);
  program.load_micro_ops({{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {3, 3, 0}});
  program.load({Memory::kWgt, 0, weights, 1, 1, 1});
  const Loop all = {0, 4};
  for (uint32_t tile = 0; tile < 3; ++tile) {
    const bool is_first = tile == 0, is_last = tile == 2;
    program.load({Memory::kInp, 0, inputs + 4 * tile, 1, 4, 4}, {.pop_next = !is_first, .push_next = true});
    program.gemm({.loop = all, .reset = true}, {.pop_prev = true, .pop_next = !is_first});
    program.gemm({.loop = all}, {.push_prev = !is_last});
    program.alu({all, AluOpcode::kAdd, true, static_cast<int16_t>(10 * (tile + 1))});
    program.alu({all, AluOpcode::kShr, true, 1}, {.push_next = true});
    program.store({Memory::kOut, 0, outputs + 4 * tile, 1, 4, 4}, {.pop_prev = true, .push_prev = true});
  }
  program.finish({.pop_next = true});
  return program;
}

BoundProgram bound(nestrt::test::TestProgram& program) {
  const Program view = program.view();
  BoundProgram result;
  result.configuration = view.configuration;
  result.instructions = view.instructions;
  result.ranges.assign(view.ranges.begin(), view.ranges.end());
  result.bindings.resize(result.ranges.size());
  return result;
}

ProgramDebugger debugger_of(Transport& transport, const BoundProgram& program,
                            std::chrono::milliseconds limit = kLimit) {
  auto debugger = ProgramDebugger::create(transport, program, 1, limit);
  if (!debugger) FAIL(debugger.error().to_string());
  return std::move(*debugger);
}

// Returns the index of the first instruction for which `is_meant` returns true.
template <typename IsMeant>
size_t index_of(const ProgramDebugger& debugger, const IsMeant& is_meant) {
  const auto found = std::ranges::find_if(debugger.instructions(), is_meant);
  REQUIRE(found != debugger.instructions().end());
  return static_cast<size_t>(found - debugger.instructions().begin());
}

// Requires that an instruction of the program has a wrong effect, and returns the first one.
WrongInstruction first_wrong(ProgramDebugger& debugger) {
  REQUIRE_FALSE(debugger.run_all()->is_right());
  auto found = debugger.find_first_wrong();
  REQUIRE(found);
  REQUIRE(*found);
  return std::move(**found);
}

bool adds(const Instruction& instruction, int16_t immediate) {
  return instruction.opcode == Opcode::kAlu && instruction.alu().opcode == AluOpcode::kAdd &&
         instruction.alu().immediate == immediate;
}

TEST_CASE("Every prefix of a program ends, or the checker rejects it") {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    nestrt::test::TestProgram program = nestrt::test::random_program("1x16_15_15_18_17", seed);
    const BoundProgram source = bound(program);
    const auto transport = make_simulator_transport();
    ProgramDebugger debugger = debugger_of(*transport, source);
    size_t accepted = 0;
    for (size_t count = 0; count <= debugger.instructions().size(); ++count) {
      const auto run = debugger.run(count);
      if (!run) CHECK(run.error().code() == Code::kInvalidPlan);
      if (!run) continue;
      ++accepted;
      CHECK(run->is_right());
    }
    CHECK(accepted > debugger.instructions().size() / 2);
  }
}

TEST_CASE("A computation that the hardware performs incorrectly is found in any tile") {
  nestrt::test::TestProgram program = three_tiles();
  const BoundProgram source = bound(program);
  for (const int16_t immediate : {10, 20, 30}) {
    const auto is_meant = [&](const Instruction& instruction) { return adds(instruction, immediate); };
    test::FaultyTransport transport(make_simulator_transport(), *source.configuration, [&](auto& instructions) {
      for (Instruction& instruction : instructions)
        if (is_meant(instruction)) std::get<Alu>(instruction.operands).immediate += 2;
    });
    ProgramDebugger debugger = debugger_of(transport, source);
    const WrongInstruction wrong = first_wrong(debugger);
    CHECK(wrong.instruction == index_of(debugger, is_meant));
    CHECK(wrong.is_computation);
    REQUIRE(wrong.run.differences.size() == 1);
    const RangeDifference& difference = wrong.run.differences[0];
    CHECK(difference.offset == 0);
    CHECK(std::to_integer<int>(difference.actual) == (std::to_integer<int>(difference.expected) + 2) % 256);
  }
}

TEST_CASE("A STORE that writes too little is found") {
  nestrt::test::TestProgram program = three_tiles();
  const BoundProgram source = bound(program);
  const uint32_t second = 1;
  const auto is_meant = [&](const Instruction& instruction) {
    return instruction.opcode == Opcode::kStore &&
           instruction.transfer().dram_base == program.element(source.ranges[2].address, Memory::kOut) + 4 * second;
  };
  test::FaultyTransport transport(make_simulator_transport(), *source.configuration, [&](auto& instructions) {
    std::optional<uint32_t> first;  // relocation keeps the distance of the others from it
    for (Instruction& instruction : instructions) {
      if (instruction.opcode != Opcode::kStore) continue;
      auto& transfer = std::get<Transfer>(instruction.operands);
      if (!first) first = transfer.dram_base;
      if (transfer.dram_base == *first + 4 * second) transfer.x_size = 3;
    }
  });
  ProgramDebugger debugger = debugger_of(transport, source);
  const WrongInstruction wrong = first_wrong(debugger);
  CHECK(wrong.instruction == index_of(debugger, is_meant));
  CHECK_FALSE(wrong.is_computation);
  CHECK(wrong.run.differences[0].count == 16);
}

TEST_CASE("An accelerator that stops answering is found at the instruction where it stops") {
  nestrt::test::TestProgram program = three_tiles();
  const BoundProgram source = bound(program);
  const auto is_meant = [](const Instruction& instruction) { return adds(instruction, 20); };
  const auto faults = std::make_shared<FaultInjector>();
  SimulatorOptions options;
  options.faults = faults;
  test::FaultyTransport transport(make_simulator_transport(options), *source.configuration, [&](auto& instructions) {
    if (std::ranges::any_of(instructions, is_meant)) faults->next_run(Fault::kHang);
  });
  ProgramDebugger debugger = debugger_of(transport, source, std::chrono::milliseconds(50));
  CHECK(debugger.run_all()->status.code() == Code::kDeadlineExceeded);
  const auto wrong = debugger.find_first_wrong();
  REQUIRE(wrong);
  REQUIRE(*wrong);
  CHECK((*wrong)->instruction == index_of(debugger, is_meant));
  CHECK((*wrong)->run.status.code() == Code::kDeadlineExceeded);
}

TEST_CASE("A result that is wrong only once is not attributed to an instruction") {
  nestrt::test::TestProgram program = three_tiles();
  const BoundProgram source = bound(program);
  const auto faults = std::make_shared<FaultInjector>();
  SimulatorOptions options;
  options.faults = faults;
  const auto transport = make_simulator_transport(options);
  ProgramDebugger debugger = debugger_of(*transport, source);
  faults->next_run(Fault::kWrongData);
  REQUIRE_FALSE(debugger.run_all()->is_right());
  const auto wrong = debugger.find_first_wrong();
  REQUIRE(wrong);
  CHECK_FALSE(*wrong);
}

}  // namespace
}  // namespace nestrt::evta
