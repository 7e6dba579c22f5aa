// SPDX-License-Identifier: Apache-2.0
#include "test/support/evta/test_program.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>

#include "drivers/evta/isa/encode.h"
#include "drivers/evta/simulator/functional_simulator.h"

namespace nestrt::test {

using evta::Dram;
using evta::MemoryRange;

TestProgram::TestProgram(const std::string& configuration) : configuration_(evta::find_configuration(configuration)) {
  REQUIRE(configuration_ != nullptr);
}

uint64_t TestProgram::add(size_t bytes, MemoryRange::Access access) {
  constexpr uint64_t kAlignment = 4096;
  const uint64_t address = next_address_;
  memories_.emplace_back(bytes, kFill);
  ranges_.push_back({address, bytes, access, nullptr});
  next_address_ = (address + bytes + kAlignment - 1) / kAlignment * kAlignment;
  return address;
}

uint64_t TestProgram::add_constant(std::vector<std::byte> bytes) {
  const uint64_t address = add(bytes.size(), MemoryRange::Access::kRead);
  memories_.back() = std::move(bytes);
  ranges_.back().constant = memories_.back().data();
  return address;
}

uint64_t TestProgram::add_micro_ops(const std::vector<evta::MicroOp>& micro_ops) {
  std::vector<std::byte> bytes;
  for (const evta::MicroOp& micro_op : micro_ops) {
    const auto raw = encode(*configuration_, micro_op);
    if (!raw) FAIL(raw.error().message());
    for (int i = 0; i < configuration_->uop_bytes(); ++i) bytes.push_back(static_cast<std::byte>(*raw >> (8 * i)));
  }
  return add_constant(std::move(bytes));
}

uint32_t TestProgram::element(uint64_t address, evta::Memory memory) const {
  return static_cast<uint32_t>(address / static_cast<uint64_t>(configuration_->element_bytes(memory)));
}

void TestProgram::add(const evta::Instruction& instruction) {
  const auto word = encode(*configuration_, instruction);
  if (!word) FAIL(word.error().message());
  words_.push_back(*word);
}

void TestProgram::load_micro_ops(const std::vector<evta::MicroOp>& micro_ops, uint32_t sram_base,
                                 evta::Dependencies flags) {
  const auto count = static_cast<uint16_t>(micro_ops.size());
  load({.memory = evta::Memory::kUop,
        .sram_base = sram_base,
        .dram_base = element(add_micro_ops(micro_ops), evta::Memory::kUop),
        .y_size = 1,
        .x_size = count,
        .x_stride = count},
       flags);
}

evta::Program TestProgram::view() { return {configuration_, words_, ranges_}; }

template <typename Run>
TestProgram::Outcome TestProgram::run(const Run& run, std::byte stale) {
  Dram dram;
  for (size_t i = 0; i < ranges_.size(); ++i) {
    const MemoryRange& range = ranges_[i];
    if (range.access == MemoryRange::Access::kRead) {
      dram.add_read(range.address, memories_[i]);
      continue;
    }
    std::fill(memories_[i].begin(), memories_[i].end(), stale);
    range.access == MemoryRange::Access::kWrite ? dram.add_write(range.address, memories_[i])
                                                : dram.add_read_write(range.address, memories_[i]);
  }
  Outcome outcome{run(dram), {}};
  for (size_t i = 0; i < ranges_.size(); ++i) {
    if (ranges_[i].access == MemoryRange::Access::kRead) continue;
    outcome.written.insert(outcome.written.end(), memories_[i].begin(), memories_[i].end());
  }
  return outcome;
}

TestProgram::Outcome TestProgram::run_plain(evta::Strictness strictness) {
  return run([&](const Dram& dram) { return simulate_plain(view(), dram, strictness); });
}

TestProgram::Outcome TestProgram::run_functional(int runs) {
  return run([&](const Dram& dram) -> Status {
    NESTRT_ASSIGN_OR_RETURN(auto simulator, evta::FunctionalSimulator::create(view()));
    for (int i = 1; i < runs; ++i) NESTRT_RETURN_IF_ERROR(simulator.run(dram));
    return simulator.run(dram);
  });
}

TestProgram::Outcome TestProgram::run_functional_over(std::byte stale, std::byte on_chip) {
  const auto simulate = [&](const Dram& dram) -> Status {
    NESTRT_ASSIGN_OR_RETURN(auto memories, evta::FunctionalSimulator::make_memories(configuration(), on_chip));
    NESTRT_ASSIGN_OR_RETURN(auto simulator, evta::FunctionalSimulator::create(view(), std::move(memories)));
    return simulator.run(dram);
  };
  return run(simulate, stale);
}

bool TestProgram::is_steady() {
  // On-chip and DRAM values are chosen so that no sign, sum or clip of an on-chip value equals a DRAM value.
  constexpr std::byte kDram[] = {std::byte{0x3C}, std::byte{0xC5}}, kOnChip[] = {std::byte{0x5A}, std::byte{0x81}};
  const Outcome first = run_functional_over(kDram[0], kOnChip[0]), second = run_functional_over(kDram[1], kOnChip[1]);
  const auto is_same = [&](std::byte a, std::byte b) {
    const bool is_unwritten = a == kDram[0] && b == kDram[1];
    return a == b || is_unwritten;
  };
  return first.status.ok() && second.status.ok() && std::ranges::equal(first.written, second.written, is_same);
}

}  // namespace nestrt::test
