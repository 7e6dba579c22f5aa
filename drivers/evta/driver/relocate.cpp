// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/relocate.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "drivers/evta/isa/decode.h"
#include "drivers/evta/isa/encode.h"

namespace nestrt::evta {
namespace {

// Ranges sorted by address.
class RangeIndex {
 public:
  explicit RangeIndex(std::span<const MemoryRange> ranges) : ranges_(ranges), order_(ranges.size()) {
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::ranges::sort(order_, {}, [&](size_t range) { return ranges[range].address; });
  }

  // Returns the range that contains the address. Errors: kInvalidPlan.
  Result<size_t> find(uint64_t address) const {
    const auto after =
        std::ranges::upper_bound(order_, address, {}, [&](size_t range) { return ranges_[range].address; });
    if (after != order_.begin()) {
      const size_t range = *(after - 1);
      if (address - ranges_[range].address < ranges_[range].size) return range;
    }
    return Status(Code::kInvalidPlan, fmt::format("address {} is not in a range", address));
  }

 private:
  std::span<const MemoryRange> ranges_;
  std::vector<size_t> order_;
};

// Calls visit(index, instruction, its transfer) for every instruction that addresses memory.
template <typename Visit>
Status for_each_transfer(const Program& program, const Visit& visit) {
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    Result<Instruction> instruction = decode(*program.configuration, program.instructions[i]);
    Status status = instruction ? Status() : instruction.error();
    Transfer* const transfer = instruction ? std::get_if<Transfer>(&instruction->operands) : nullptr;
    if (transfer != nullptr && transfer->x_size > 0) status = visit(i, *instruction, *transfer);
    if (!status.ok()) return status.with_context(fmt::format("instruction {}", i));
  }
  return {};
}

}  // namespace

Result<std::vector<InstructionWord>> relocate(const Program& program, std::span<const uint64_t> targets) {
  const RangeIndex ranges(program.ranges);
  std::vector<InstructionWord> words(program.instructions.begin(), program.instructions.end());
  const auto move = [&](size_t index, Instruction& instruction, Transfer& transfer) -> Status {
    const auto element = static_cast<uint64_t>(program.configuration->element_bytes(transfer.memory));
    const uint64_t address = transfer.dram_base * element;
    NESTRT_ASSIGN_OR_RETURN(const size_t range, ranges.find(address));
    transfer.dram_base = static_cast<uint32_t>((address - program.ranges[range].address + targets[range]) / element);
    NESTRT_ASSIGN_OR_RETURN(words[index], encode(*program.configuration, instruction));
    return {};
  };
  NESTRT_RETURN_IF_ERROR(for_each_transfer(program, move));
  return words;
}

Result<std::vector<uint64_t>> largest_elements(const Program& program) {
  const RangeIndex ranges(program.ranges);
  std::vector<uint64_t> elements(program.ranges.size(), 1);
  const auto note = [&](size_t, const Instruction&, const Transfer& transfer) -> Status {
    const auto element = static_cast<uint64_t>(program.configuration->element_bytes(transfer.memory));
    NESTRT_ASSIGN_OR_RETURN(const size_t range, ranges.find(transfer.dram_base * element));
    elements[range] = std::max(elements[range], element);
    return {};
  };
  NESTRT_RETURN_IF_ERROR(for_each_transfer(program, note));
  return elements;
}

}  // namespace nestrt::evta
