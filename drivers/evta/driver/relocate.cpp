#include "drivers/evta/driver/relocate.h"

#include <fmt/core.h>

#include <algorithm>

#include "drivers/evta/isa/decode.h"
#include "drivers/evta/isa/encode.h"

namespace nestrt::evta {
namespace {

// Ranges in the order of their addresses.
class Relocation {
 public:
  Relocation(const Program& program, std::span<const uint64_t> targets) : configuration_(*program.configuration) {
    for (size_t i = 0; i < program.ranges.size(); ++i) moves_.push_back({program.ranges[i], targets[i]});
    std::sort(moves_.begin(), moves_.end(),
              [](const Move& a, const Move& b) { return a.range.address < b.range.address; });
  }

  Result<InstructionWord> apply(const InstructionWord& word) const {
    NESTRT_ASSIGN_OR_RETURN(Instruction instruction, decode(configuration_, word));
    auto* const transfer = std::get_if<Transfer>(&instruction.operands);
    if (transfer == nullptr || transfer->x_size == 0) return word;
    const auto element = static_cast<uint64_t>(configuration_.element_bytes(transfer->memory));
    const uint64_t address = transfer->dram_base * element;
    const Move* const move = find(address);
    if (move == nullptr) return Status(Code::kInvalidPlan, fmt::format("address {} lies in no range", address));
    transfer->dram_base = static_cast<uint32_t>((address - move->range.address + move->target) / element);
    return encode(configuration_, instruction);
  }

 private:
  struct Move {
    MemoryRange range;
    uint64_t target;
  };

  const Move* find(uint64_t address) const {
    const auto after = std::upper_bound(moves_.begin(), moves_.end(), address,
                                        [](uint64_t value, const Move& move) { return value < move.range.address; });
    if (after == moves_.begin()) return nullptr;
    const Move& move = *(after - 1);
    return address - move.range.address < move.range.size ? &move : nullptr;
  }

  const Configuration& configuration_;
  std::vector<Move> moves_;
};

}  // namespace

Result<std::vector<InstructionWord>> relocate(const Program& program, std::span<const uint64_t> targets) {
  const Relocation relocation(program, targets);
  std::vector<InstructionWord> words;
  words.reserve(program.instructions.size());
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    Result<InstructionWord> word = relocation.apply(program.instructions[i]);
    if (!word) return word.error().with_context(fmt::format("instruction {}", i));
    words.push_back(*word);
  }
  return words;
}

}  // namespace nestrt::evta
