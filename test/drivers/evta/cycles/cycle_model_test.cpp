// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/cycles/cycle_model.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "drivers/evta/isa/encode.h"
#include "test/drivers/evta/cycles/vta_convolution.h"
#include "test/drivers/evta/cycles/vta_stream.h"
#include "test/drivers/evta/cycles/vta_unit_tests.h"

namespace nestrt::evta::test {
namespace {

const Configuration& configuration() { return kConfigurations[0]; }
const CycleProfile& profile(std::string_view name) { return *find_cycle_profile(name); }

CycleCount count(const std::vector<Instruction>& instructions, const CycleProfile& profile,
                 std::vector<TraceEntry>* trace = nullptr) {
  const auto counted = count_cycles(configuration(), instructions, profile, trace);
  if (!counted) FAIL(counted.error().to_string());
  return *counted;
}

Transfer inputs(uint16_t rows, uint16_t columns) {
  Transfer transfer;
  transfer.memory = Memory::kInp;
  transfer.y_size = rows;
  transfer.x_size = transfer.x_stride = columns;
  return transfer;
}

TEST_CASE("The cycle model reproduces the published counts of VTA's instruction tests") {
  for (const VtaUnitTest& test : vta_unit_tests()) {
    CAPTURE(test.name);
    CHECK(count(test.instructions, profile("chisel2019")).cycles == test.published_cycles);
  }
}

// Returns the fastest tile of the schedule, as a search by measurement would.
std::vector<Instruction> fastest(const Convolution& convolution, const CycleProfile& profile) {
  std::vector<Instruction> best;
  uint64_t best_cycles = UINT64_MAX;
  for (uint32_t rows = 1; rows <= convolution.out_size(); ++rows) {
    for (uint32_t blocks = 1; blocks <= convolution.out_blocks; blocks *= 2) {
      auto instructions = schedule(convolution, {rows, blocks}, configuration());
      if (!instructions) continue;
      const uint64_t cycles = count(*instructions, profile).cycles;
      if (cycles >= best_cycles) continue;
      best_cycles = cycles;
      best = std::move(*instructions);
    }
  }
  return best;
}

TEST_CASE("ResNet-18's cycles are within 5 % of the published ones, before and after GEMM was pipelined") {
  const CycleProfile pipelined = profile("chisel2021");
  CycleProfile before = pipelined;
  before.gemm = profile("chisel2019").gemm;
  before.gemm_reset = profile("chisel2019").gemm_reset;
  double cycles = 0, cycles_before = 0;
  for (const Convolution& convolution : resnet18_convolutions()) {
    CAPTURE(convolution.name);
    const std::vector<Instruction> instructions = fastest(convolution, pipelined);
    const CycleCount counted = count(instructions, pipelined);
    CHECK(counted.gemm_micro_ops == convolution.micro_ops());
    cycles += static_cast<double>(counted.cycles) * convolution.count;
    cycles_before += static_cast<double>(count(instructions, before).cycles) * convolution.count;
  }
  CHECK(cycles == Approx(7'729'601).epsilon(0.05));
  CHECK(cycles_before == Approx(27'679'515).epsilon(0.05));
  CHECK(cycles_before / cycles == Approx(27'679'515.0 / 7'729'601).epsilon(0.05));
  CHECK(cycles > 6'623'232);  // one micro-op per cycle
}

TEST_CASE(
    "No profile counts fewer cycles than the work needs, and no module is busy or waits longer than the program runs") {
  std::vector<std::vector<Instruction>> programs = {*schedule(resnet18_convolutions()[0], {8, 2}, configuration()),
                                                    *schedule(resnet18_convolutions()[9], {7, 8}, configuration())};
  for (VtaUnitTest& test : vta_unit_tests()) programs.push_back(std::move(test.instructions));
  for (const CycleProfile& profile : cycle_profiles()) {
    CAPTURE(profile.name);
    for (const std::vector<Instruction>& program : programs) {
      const CycleCount counted = count(program, profile);
      CHECK(counted.lower_bound <= counted.cycles);
      for (const ModuleCycles& module : counted.modules) {
        CHECK(module.busy + module.fetch_wait + module.prev_wait + module.next_wait <= counted.cycles + 1);
        CHECK(module.memory_wait <= module.busy);
      }
    }
  }
}

TEST_CASE("Paced simulators use the clock of their profile") {
  REQUIRE(find_cycle_profile(kPaceProfile) != nullptr);
  CHECK(find_cycle_profile(kPaceProfile)->clock_hz == kPaceClockHz);
}

TEST_CASE("The cycle model counts work by memory and unit, without pads and resets") {
  const auto instructions = *schedule(resnet18_convolutions()[0], {8, 2}, configuration());
  const CycleCount counted = count(instructions, profile("chisel2021"));
  const auto bytes = [&](Memory memory) { return counted.bytes[static_cast<size_t>(memory)]; };
  CHECK(counted.gemm_micro_ops == 451'584);
  CHECK(counted.reset_micro_ops == 12'544);
  CHECK(counted.alu_micro_ops == 4 * 12'544);
  CHECK(bytes(Memory::kOut) == 12'544 * 16);
  CHECK(bytes(Memory::kWgt) == 7 * 36 * 1024);         // for each of the seven tiles of rows
  CHECK(bytes(Memory::kInp) == 2 * 4 * 68 * 56 * 16);  // for each thread; 12 rows twice
  CHECK(bytes(Memory::kAcc) == 7 * 4 * 64);
  CHECK(counted.total_bytes() ==
        bytes(Memory::kOut) + bytes(Memory::kWgt) + bytes(Memory::kInp) + bytes(Memory::kAcc) + bytes(Memory::kUop));
}

TEST_CASE("The trace contains every instruction once and no module executes two concurrently") {
  const auto instructions = *schedule(resnet18_convolutions()[8], {7, 8}, configuration());
  std::vector<TraceEntry> trace;
  const CycleCount counted = count(instructions, profile("zcu102"), &trace);
  CHECK(trace.size() == instructions.size());
  std::array<uint64_t, kNumModules> free = {};
  std::array<uint64_t, kNumModules> busy = {};
  for (const TraceEntry& entry : trace) {
    CHECK(module_of(instructions[entry.instruction]) == entry.module);
    uint64_t& module_free = free[static_cast<size_t>(entry.module)];
    CHECK(entry.start >= module_free);
    CHECK(entry.end > entry.start);
    module_free = entry.end;
    busy[static_cast<size_t>(entry.module)] += entry.end - entry.start;
  }
  for (size_t module = 0; module < busy.size(); ++module) CHECK(busy[module] == counted.modules[module].busy);
}

TEST_CASE("A wider bus and a shorter latency reduce the number of cycles, and a different clock does not change it") {
  const auto instructions = *schedule(resnet18_convolutions()[3], {7, 2}, configuration());
  CycleProfile changed = profile("zcu102");
  const uint64_t cycles = count(instructions, changed).cycles;
  changed.clock_hz = 100e6;
  CHECK(count(instructions, changed).cycles == cycles);
  CHECK(changed.seconds(100e6) == 1);
  changed.bus_bytes = 8;
  CHECK(count(instructions, changed).cycles > cycles);
  changed.bus_bytes = 16;
  changed.read_latency = 10;
  CHECK(count(instructions, changed).cycles < cycles);
}

TEST_CASE("Bursts end at multiples of their length if the profile requires it") {
  Transfer across = inputs(1, 128);  // 256 beats, starting in the middle of a burst
  across.dram_base = 64;
  const std::vector<Instruction> program = {make_load(across, {.push_next = true}), make_finish({.pop_prev = true})};
  CycleProfile aligned = profile("chisel2019");
  aligned.aligned_bursts = true;
  CHECK(count(program, aligned).cycles == count(program, profile("chisel2019")).cycles + aligned.read_latency);
}

// Returns the cycles of one load, from start to end.
uint64_t cycles_of_load(const Transfer& transfer, const CycleProfile& profile) {
  std::vector<TraceEntry> trace;
  count({make_load(transfer, {.push_next = true}), make_finish({.pop_prev = true})}, profile, &trace);
  return trace[0].end - trace[0].start;
}

TEST_CASE("With outstanding reads, rows follow each other without a gap up to the limit") {
  const CycleProfile& ahead = profile("chisel_16_reads");
  CHECK(cycles_of_load(inputs(32, 2), ahead) == cycles_of_load(inputs(1, 64), ahead));
  CycleProfile one = ahead;
  one.reads_ahead = 1;
  CHECK(cycles_of_load(inputs(1, 64), one) == cycles_of_load(inputs(1, 64), ahead));
  const auto latency = static_cast<uint64_t>(ahead.read_latency);
  CHECK(cycles_of_load(inputs(32, 2), one) == cycles_of_load(inputs(1, 64), ahead) + 31 * (latency - 1));
}

TEST_CASE("With outstanding reads, pads are written in cycles without data, otherwise between the data") {
  Transfer padded = inputs(8, 8);  // 128 beats
  padded.x_pad_begin = 1;          // 8 pads
  const CycleProfile& ahead = profile("chisel_16_reads");
  const int without_data = ahead.read_latency + ahead.load_inp.after_row - ahead.pad_latency;
  CHECK(cycles_of_load(padded, ahead) == cycles_of_load(inputs(8, 8), ahead) + 8 - without_data);
  CycleProfile after_data = profile("chisel2021");
  after_data.pads_by_beat = false;
  CHECK(cycles_of_load(padded, after_data) == cycles_of_load(inputs(8, 8), after_data) + 8);
}

TEST_CASE("Loads of lower priority wait until a load with outstanding reads has requested all its rows") {
  const Instruction load = make_load(inputs(64, 16), {.push_next = true});  // 2048 beats
  const Instruction accumulators = make_load({.memory = Memory::kAcc, .y_size = 1, .x_size = 1, .x_stride = 1});
  std::vector<TraceEntry> trace;
  // The first load of accumulators ends before sixteen rows are outstanding.
  count({load, accumulators, accumulators, make_finish({.pop_prev = true})}, profile("chisel_16_reads"), &trace);
  REQUIRE(trace[0].instruction == 1);
  CHECK(trace[0].end - trace[0].start < 16 * 32);
  const auto second = std::find_if(trace.begin(), trace.end(), [](const TraceEntry& e) { return e.instruction == 2; });
  CHECK(second->end - second->start > 40 * 32);
}

TEST_CASE("Writes do not wait for reads on a separate bus, and otherwise share the beats of the bus") {
  Transfer results = inputs(1, 128);
  results.memory = Memory::kOut;
  const Instruction store = make_store(results, {.push_prev = true});
  const std::vector<Instruction> alone = {store, make_finish({.pop_next = true})};
  const std::vector<Instruction> with_concurrent_reads = {make_load(inputs(1, 1024), {.push_next = true}), store,
                                                          make_finish({.pop_prev = true, .pop_next = true})};
  const auto cycles_of_store = [](const std::vector<Instruction>& program, const CycleProfile& profile) {
    std::vector<TraceEntry> trace;
    count(program, profile, &trace);
    const auto stored =
        std::find_if(trace.begin(), trace.end(), [](const TraceEntry& e) { return e.module == Module::kStore; });
    return stored->end - stored->start;
  };
  const CycleProfile& separate = profile("chisel_16_reads");
  CHECK(cycles_of_store(with_concurrent_reads, separate) == cycles_of_store(alone, separate));
  CycleProfile shared = separate;
  shared.separate_writes = false;
  CHECK(cycles_of_store(with_concurrent_reads, shared) > cycles_of_store(alone, shared));
  CHECK(count(with_concurrent_reads, shared).lower_bound > count(with_concurrent_reads, separate).lower_bound);
}

TEST_CASE("Transfers that the hardware does not support are errors") {
  for (const Instruction& wrong : {make_load({.memory = Memory::kOut, .y_size = 1, .x_size = 1, .x_stride = 1}),
                                   make_store({.memory = Memory::kInp, .y_size = 1, .x_size = 1, .x_stride = 1})}) {
    const auto refused = count_cycles(configuration(), std::vector{wrong, make_finish()}, profile("zcu102"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == Code::kInvalidPlan);
    CHECK_THAT(std::string(refused.error().message()),
               Catch::Matchers::StartsWith("instruction 0: the hardware has no"));
  }
}

TEST_CASE("A module accepts at most as many instructions as its queue holds") {
  // The compute module's queue is full of instructions that wait for a load, which fetch therefore cannot dispatch.
  CycleProfile shallow = profile("chisel2019");
  shallow.queue_depth = 4;
  std::vector<Instruction> program(5, make_load({.memory = Memory::kUop}));
  program[0].dependencies.pop_prev = true;
  program.push_back(make_load(inputs(1, 1), {.push_next = true}));
  program.push_back(make_finish());
  const auto stuck = count_cycles(configuration(), program, shallow);
  REQUIRE_FALSE(stuck);
  CHECK(stuck.error().code() == Code::kInvalidPlan);
  CHECK(stuck.error().message() ==
        "instruction 5 waits forever: the load module lacks a token, or the queue of another module is full");
  shallow.queue_depth = 5;
  CHECK(count_cycles(configuration(), program, shallow));
}

TEST_CASE("A program without FINISH, or with tokens that never arrive, is an error") {
  const CycleProfile& any = profile("chisel2021");
  CHECK(count_cycles(configuration(), std::vector<Instruction>{}, any).error().message() ==
        "the program has no FINISH");
  const std::vector<Instruction> starved = {make_finish({.pop_next = true})};
  CHECK(count_cycles(configuration(), starved, any).error().message() ==
        "instruction 0 waits forever: the compute module lacks a token, or the queue of another module is full");
}

TEST_CASE("An encoded program has the same cycle count as its instructions") {
  const std::vector<Instruction> instructions = vta_unit_tests()[0].instructions;
  std::vector<InstructionWord> words;
  for (const Instruction& instruction : instructions) words.push_back(*encode(configuration(), instruction));
  const Program program{&configuration(), words, {}};
  CHECK(count_cycles(program, profile("chisel2019"))->cycles == 619);
  words[1][0] |= 7;
  CHECK(count_cycles(program, profile("chisel2019")).error().message().find("instruction 1: ") == 0);
}

}  // namespace
}  // namespace nestrt::evta::test
