// SPDX-License-Identifier: Apache-2.0
// TestProgram: a program under construction that owns its memory.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "drivers/evta/execution_order.h"
#include "drivers/evta/program.h"
#include "drivers/evta/simulator/dram.h"
#include "test/support/evta/plain_simulator.h"

namespace nestrt::test {

class TestProgram {
 public:
  explicit TestProgram(const std::string& configuration = "1x16_15_15_18_17");

  const evta::Configuration& configuration() const { return *configuration_; }

  // Places memory, aligned for any element, and returns its address.
  uint64_t add_constant(std::vector<std::byte> bytes);
  uint64_t add_micro_ops(const std::vector<evta::MicroOp>& micro_ops);
  uint64_t add_output(size_t bytes) { return add(bytes, evta::MemoryRange::Access::kWrite); }
  uint64_t add(size_t bytes, evta::MemoryRange::Access access);
  // Returns the address in elements, for dram_base.
  uint32_t element(uint64_t address, evta::Memory memory) const;

  void add(const evta::Instruction& instruction);
  void load(const evta::Transfer& transfer, evta::Dependencies flags = {}) { add(make_load(transfer, flags)); }
  void store(const evta::Transfer& transfer, evta::Dependencies flags = {}) { add(make_store(transfer, flags)); }
  void gemm(const evta::Gemm& gemm, evta::Dependencies flags = {}) { add(make_gemm(gemm, flags)); }
  void alu(const evta::Alu& alu, evta::Dependencies flags = {}) { add(make_alu(alu, flags)); }
  void finish(evta::Dependencies flags = {}) { add(evta::make_finish(flags)); }
  // Places micro-ops in memory and adds their LOAD UOP.
  void load_micro_ops(const std::vector<evta::MicroOp>& micro_ops, uint32_t sram_base = 0,
                      evta::Dependencies flags = {});

  // Returns the program. The result is valid until the next change.
  evta::Program view();
  std::vector<evta::InstructionWord>& words() { return words_; }
  std::deque<std::vector<std::byte>>& memories() { return memories_; }

  // The bytes of all writable ranges after a run from kFill, in the order of their creation.
  struct Outcome {
    Status status;
    std::vector<std::byte> written;
  };
  Outcome run_plain(evta::Strictness strictness = evta::Strictness::kStrict);
  // Runs the program `runs` times in one simulator. Later runs may read data that earlier runs wrote.
  Outcome run_functional(int runs = 1);
  // Returns whether the program runs and writes the same results for other previous contents of DRAM and on-chip
  // memory.
  bool is_steady();

  static constexpr std::byte kFill{0x55};

 private:
  template <typename Run>
  Outcome run(const Run& run, std::byte stale = kFill);
  Outcome run_functional_over(std::byte stale, std::byte on_chip);

  const evta::Configuration* configuration_;
  uint64_t next_address_ = 0x10000;
  std::deque<std::vector<std::byte>> memories_;
  std::vector<evta::MemoryRange> ranges_;
  std::vector<evta::InstructionWord> words_;
};

}  // namespace nestrt::test
