// SPDX-License-Identifier: Apache-2.0
// Runs an EVTA program. A program that the checker accepts must run to its end in both simulators, within its memory
// and with equal results. If its results must be complete, they must not depend on the previous contents of memory.
#include <algorithm>
#include <cstring>
#include <random>

#include "drivers/evta/checker/program_checker.h"
#include "drivers/evta/isa/decode.h"
#include "drivers/evta/simulator/functional_simulator.h"
#include "test/fuzz/evta_input.h"
#include "test/fuzz/fuzz_input.h"
#include "test/support/evta/plain_simulator.h"
#include "test/support/kernel/guarded_bytes.h"
#include "test/support/plan/mutate_words.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

namespace nestrt::test {
namespace {

using evta::MemoryRange;

constexpr uint64_t kMaxSteps = 1 << 14;  // longer programs are only checked

uint64_t steps_of(const evta::Instruction& instruction) {
  if (const auto* const transfer = std::get_if<evta::Transfer>(&instruction.operands))
    return uint64_t{transfer->x_size} * transfer->y_size;
  if (instruction.operands.index() == 0) return 0;
  const evta::Loop& loop = instruction.loop();
  return uint64_t{loop.iter_out} * loop.iter_in * (loop.uop_end - loop.uop_begin);
}

// Requires: a program that the checker has accepted.
bool is_short(const evta::Program& program) {
  const auto instructions = evta::decode(*program.configuration, program.instructions);
  if (!instructions) return false;
  uint64_t steps = 0;
  for (const evta::Instruction& instruction : *instructions) steps += steps_of(instruction);
  return steps <= kMaxSteps;
}

// The memory of a program between guards. Writable ranges contain `fill`.
class Memory {
 public:
  Memory(const EvtaInput& input, std::byte fill) {
    blocks_.reserve(input.ranges.size());
    for (size_t i = 0; i < input.ranges.size(); ++i) add(input.ranges[i], input.memories[i], fill);
  }
  const evta::Dram& dram() const { return dram_; }
  std::vector<std::byte> written() const {
    std::vector<std::byte> result;
    for (const GuardedBytes* block : written_)
      result.insert(result.end(), block->bytes().begin(), block->bytes().end());
    return result;
  }
  bool is_intact() const {
    return std::all_of(blocks_.begin(), blocks_.end(), [](const GuardedBytes& block) { return block.is_intact(); });
  }

 private:
  void add(const MemoryRange& range, const std::vector<std::byte>& content, std::byte fill) {
    GuardedBytes& block = blocks_.emplace_back(range.size, fill);
    if (range.access == MemoryRange::Access::kRead) {
      std::copy(content.begin(), content.end(), block.data());
      return dram_.add_read(range.address, block.bytes());
    }
    written_.push_back(&block);
    range.access == MemoryRange::Access::kWrite ? dram_.add_write(range.address, block.bytes())
                                                : dram_.add_read_write(range.address, block.bytes());
  }

  std::vector<GuardedBytes> blocks_;
  std::vector<const GuardedBytes*> written_;
  evta::Dram dram_;
};

// Runs with on-chip memories whose contents differ from the plain simulator's zeros.
Status run_functional(const evta::Program& program, const evta::Dram& dram) {
  using evta::FunctionalSimulator;
  NESTRT_ASSIGN_OR_RETURN(auto on_chip, FunctionalSimulator::make_memories(*program.configuration, std::byte{0x81}));
  NESTRT_ASSIGN_OR_RETURN(auto simulator, FunctionalSimulator::create(program, std::move(on_chip)));
  return simulator.run(dram);
}
Status run_plain(const evta::Program& program, const evta::Dram& dram) {
  return evta::simulate_plain(program, dram, evta::Strictness::kPermissive);
}

using Simulator = Status (*)(const evta::Program& program, const evta::Dram& dram);
std::vector<std::byte> results(Simulator run, EvtaInput& input, std::byte fill) {
  const Memory memory(input, fill);
  const Status status = run(input.program(), memory.dram());
  expect(status.ok(), status.message());
  expect(memory.is_intact(), "a program wrote outside its ranges");
  return memory.written();
}

void run_checked(EvtaInput& input, bool is_complete) {
  constexpr std::byte kZeros{0}, kOnes{0xFF};
  const auto expected = results(run_plain, input, kZeros);
  expect(results(run_functional, input, kZeros) == expected, "the simulators differ");
  if (!is_complete) return;
  expect(results(run_plain, input, kOnes) == expected, "results depend on the previous contents of memory");
  expect(results(run_functional, input, kOnes) == expected, "results depend on the previous contents of memory");
}

size_t mutate_input(uint8_t* data, size_t size, size_t most, std::mt19937_64& random) {
  EvtaInput input = EvtaInput::from_bytes(std::as_bytes(std::span(data, size)));
  mutate(&input.words, random);
  input.words.resize(std::min<size_t>(input.words.size(), UINT8_MAX));
  const auto bytes = input.to_bytes();
  if (bytes.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace
}  // namespace nestrt::test

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned int seed) {
  std::mt19937_64 random(seed);
  if (random() % 3 == 0) return LLVMFuzzerMutate(data, size, most);
  return nestrt::test::mutate_input(data, size, most, random);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace nestrt;
  test::EvtaInput input = test::EvtaInput::from_bytes(std::as_bytes(std::span(data, size)));
  const bool is_complete = evta::check_program(input.program(), evta::Results::kComplete).ok();
  const bool is_legal = evta::check_program(input.program(), evta::Results::kPartial).ok();
  test::expect(is_legal || !is_complete, "a program with complete results is rejected as partial");
  if (is_legal && test::is_short(input.program())) test::run_checked(input, is_complete);
  return 0;
}
