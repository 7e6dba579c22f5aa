#include "runtime/plan/operand_uses.h"

#include <fmt/core.h>

#include <algorithm>

#include "nestrt/packing.h"
#include "runtime/plan/format.h"
#include "runtime/plan/verify_parts.h"

namespace nestrt {
namespace {

constexpr uint64_t kFreeBytes = uint64_t{192} << 20;
constexpr uint64_t kUsesOfByte = 16;
constexpr uint64_t kBytesOfNumber = 8;  // of work: an exponent or a scale is looked at more than once
constexpr size_t kWeights = 1;          // operand

// Weights that are not packed yet are packed by some kernels, which pad them.
uint64_t most_packed_bytes(const plan::Tensor& weights) {
  int64_t most = storage_bytes(weights.type, weights.shape, weights.layout);
  for (auto packing = Packing::kO16i16; packing <= Packing::kS8Panel; packing = static_cast<Packing>(int(packing) + 1))
    if (weights.packing == Packing::kNone && packed_type(packing) == weights.type)
      most = std::max(most, packed_size_bytes(packing, weights.shape).value_or(0));
  return static_cast<uint64_t>(most);
}

uint64_t bytes_of_use(const plan::Tables& plan, int32_t operand, bool is_weights) {
  if (operand < 0) return 0;
  const plan::Tensor& tensor = plan.tensors[static_cast<uint32_t>(operand)];
  const uint64_t numbers = bytes_of_quantization(tensor);
  if (plan.buffers[tensor.buffer].kind != plan::BufferKind::kConstant) return numbers;
  if (is_weights) return numbers + most_packed_bytes(tensor);
  return numbers + static_cast<uint64_t>(storage_bytes(tensor.type, tensor.shape, tensor.layout));
}

bool charge_operator(const plan::Tables& plan, const plan::Operator& op, Budget& uses) {
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (!uses.charge(bytes_of_use(plan, op.inputs[i], i == kWeights))) return false;
  for (const int32_t output : op.outputs)
    if (!uses.charge(bytes_of_use(plan, output, false))) return false;
  return true;
}

Status refuse(std::string_view what, std::string_view shared, const Budget& uses, uint64_t data_bytes) {
  return Status(Code::kInvalidPlan, fmt::format("{}: what stands up to it uses more than {} bytes of {}, for {} that "
                                                "there are",
                                                what, uses.limit(), shared, data_bytes));
}

}  // namespace

Budget budget_of_uses(uint64_t data_bytes) { return Budget::of_file(kFreeBytes, kUsesOfByte, data_bytes); }

uint64_t bytes_of_quantization(const plan::Tensor& tensor) {
  if (!tensor.quantization) return 0;
  const plan::Quantization& numbers = *tensor.quantization;
  return kBytesOfNumber * (numbers.exponents.size() + numbers.scales.size() + numbers.zero_points.size());
}

Status check_operand_uses(const plan::Tables& plan, uint64_t data_bytes) {
  Budget uses = budget_of_uses(data_bytes), operands(plan_format::kMaxOperands);
  for (uint32_t index = 0; index < plan.operators.size(); ++index) {
    const plan::Operator& op = plan.operators[index];
    if (!operands.charge(op.inputs.size() + op.outputs.size()))
      return Status(Code::kInvalidPlan, fmt::format("{}: the operators up to it have more than {} operands",
                                                    plan_verify::operator_name(plan, index), operands.limit()));
    if (!charge_operator(plan, op, uses))
      return refuse(plan_verify::operator_name(plan, index), "constants and quantization", uses, data_bytes);
  }
  return {};
}

Status check_segment_uses(const plan::Tables& plan, uint64_t data_bytes) {
  Budget uses = budget_of_uses(data_bytes);
  for (uint32_t branch = 0; branch < plan.branches.size(); ++branch)
    for (const plan::Program& program : plan.branches[branch].programs)
      for (const uint32_t segment : program.segments)
        if (!uses.charge(plan.buffers[segment].size))
          return refuse(fmt::format("branch {}", branch), "segments of programs", uses, data_bytes);
  return {};
}

}  // namespace nestrt
