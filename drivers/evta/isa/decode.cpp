// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/isa/decode.h"

#include <fmt/core.h>

#include "drivers/evta/isa/fields.h"

namespace nestrt::evta {
namespace {

class Decoder {
 public:
  explicit Decoder(const InstructionWord& word) : word_(word) {}

  template <typename T>
  void field(std::string_view, T& value, int bits) {
    value = static_cast<T>(take(bits));
  }
  void unused(int bits) { unused_is_set_ |= take(bits) != 0; }
  void end_word() {
    unused_is_set_ |= position_ < 64 && word_[index_] >> position_ != 0;
    ++index_;
    position_ = 0;
  }
  // Checks that all remaining bits are zero.
  void finish() {
    while (index_ < word_.size()) end_word();
  }

  bool unused_is_set() const { return unused_is_set_; }

 private:
  uint64_t take(int bits) {
    const uint64_t value = word_[index_] >> position_ & ((uint64_t{1} << bits) - 1);
    position_ += bits;
    return value;
  }

  InstructionWord word_;
  size_t index_ = 0;
  int position_ = 0;
  bool unused_is_set_ = false;
};

Status illegal(std::string_view what, int value) {
  return Status(Code::kInvalidPlan, fmt::format("undefined {} {}", what, value));
}

Status decode_operands(Decoder& decoder, const Configuration& configuration, Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kLoad:
    case Opcode::kStore: {
      auto& transfer = instruction.operands.emplace<Transfer>();
      isa::visit_transfer(decoder, configuration, transfer);
      const int memory = static_cast<int>(transfer.memory);
      return memory < kNumMemories ? Status() : illegal("memory", memory);
    }
    case Opcode::kGemm:
      return isa::visit_gemm(decoder, configuration, instruction.operands.emplace<Gemm>()), ok_status();
    case Opcode::kAlu: {
      auto& alu = instruction.operands.emplace<Alu>();
      isa::visit_alu(decoder, configuration, alu);
      return alu.opcode <= AluOpcode::kMul ? Status() : illegal("ALU operation", static_cast<int>(alu.opcode));
    }
    case Opcode::kFinish:
      return {};
  }
  return illegal("opcode", static_cast<int>(instruction.opcode));
}

Status check_unused(const Decoder& decoder, std::string_view what) {
  if (!decoder.unused_is_set()) return {};
  return Status(Code::kInvalidPlan, fmt::format("{}: an unused bit is set", what));
}

}  // namespace

Result<Instruction> decode(const Configuration& configuration, const InstructionWord& word) {
  Decoder decoder(word);
  Instruction instruction;
  decoder.field("opcode", instruction.opcode, isa::kOpcodeBits);
  isa::visit_dependencies(decoder, instruction.dependencies);
  NESTRT_RETURN_IF_ERROR(decode_operands(decoder, configuration, instruction));
  decoder.finish();
  NESTRT_RETURN_IF_ERROR(check_unused(decoder, name(instruction.opcode)));
  return instruction;
}

Result<std::vector<Instruction>> decode(const Configuration& configuration, std::span<const InstructionWord> words) {
  std::vector<Instruction> instructions;
  instructions.reserve(words.size());
  for (size_t i = 0; i < words.size(); ++i) {
    auto instruction = decode(configuration, words[i]);
    if (!instruction) return instruction.error().with_context(fmt::format("instruction {}", i));
    instructions.push_back(*instruction);
  }
  return instructions;
}

Result<MicroOp> decode_micro_op(const Configuration& configuration, uint64_t raw) {
  Decoder decoder({raw, 0});
  MicroOp micro_op;
  isa::visit_micro_op(decoder, configuration, micro_op);
  NESTRT_RETURN_IF_ERROR(check_unused(decoder, "micro-op"));
  return micro_op;
}

uint64_t read_micro_op(const Configuration& configuration, std::span<const std::byte> bytes, size_t index) {
  const auto size = static_cast<size_t>(configuration.uop_bytes());
  uint64_t raw = 0;
  for (size_t i = 0; i < size; ++i) raw |= std::to_integer<uint64_t>(bytes[index * size + i]) << (8 * i);
  return raw;
}

}  // namespace nestrt::evta
