// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/isa/encode.h"

#include <fmt/core.h>

#include <type_traits>

#include "drivers/evta/isa/fields.h"

namespace nestrt::evta {
namespace {

class Encoder {
 public:
  template <typename T>
  void field(std::string_view name, const T& value, int bits) {
    const uint64_t limit = (uint64_t{1} << bits) - 1;
    uint64_t raw = static_cast<uint64_t>(value);
    if constexpr (std::is_signed_v<T>) raw &= limit;
    if (raw > limit && status_.ok())
      status_ = Status(Code::kInvalidArgument, fmt::format("field {} is {}, which does not fit into {} bits (0 to {})",
                                                           name, raw, bits, limit));
    word_[index_] |= (raw & limit) << position_;
    position_ += bits;
  }
  void unused(int bits) { position_ += bits; }
  void end_word() {
    ++index_;
    position_ = 0;
  }

  const Status& status() const { return status_; }
  const InstructionWord& word() const { return word_; }

 private:
  InstructionWord word_ = {};
  size_t index_ = 0;
  int position_ = 0;
  Status status_;
};

Status mismatch() { return Status(Code::kInvalidArgument, "the operands belong to another opcode"); }

Status encode_operands(Encoder& encoder, const Configuration& configuration, Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kLoad:
    case Opcode::kStore:
      if (auto* transfer = std::get_if<Transfer>(&instruction.operands))
        return isa::visit_transfer(encoder, configuration, *transfer), ok_status();
      return mismatch();
    case Opcode::kGemm:
      if (auto* gemm = std::get_if<Gemm>(&instruction.operands))
        return isa::visit_gemm(encoder, configuration, *gemm), ok_status();
      return mismatch();
    case Opcode::kAlu:
      if (auto* alu = std::get_if<Alu>(&instruction.operands))
        return isa::visit_alu(encoder, configuration, *alu), ok_status();
      return mismatch();
    case Opcode::kFinish:
      return std::holds_alternative<std::monostate>(instruction.operands) ? Status() : mismatch();
  }
  return Status(Code::kInvalidArgument, "invalid opcode");
}

Status in_context(const Status& status, const Configuration& configuration, std::string_view what) {
  return status.with_context(fmt::format("{} {}", configuration.name, what));
}

}  // namespace

Result<InstructionWord> encode(const Configuration& configuration, const Instruction& instruction) {
  Encoder encoder;
  Instruction fields = instruction;
  encoder.field("opcode", fields.opcode, isa::kOpcodeBits);
  isa::visit_dependencies(encoder, fields.dependencies);
  Status status = encode_operands(encoder, configuration, fields);
  if (status.ok()) status = encoder.status();
  if (!status.ok()) return in_context(status, configuration, name(instruction.opcode));
  return encoder.word();
}

Result<uint64_t> encode(const Configuration& configuration, const MicroOp& micro_op) {
  Encoder encoder;
  MicroOp fields = micro_op;
  isa::visit_micro_op(encoder, configuration, fields);
  if (!encoder.status().ok()) return in_context(encoder.status(), configuration, "micro-op");
  return encoder.word()[0];
}

}  // namespace nestrt::evta
