#include "runtime/plan/constant_uses.h"

#include <fmt/core.h>

#include "nestrt/packing.h"
#include "runtime/core/budget.h"
#include "runtime/plan/verify_parts.h"

namespace nestrt {
namespace {

constexpr uint64_t kFreeBytes = uint64_t{256} << 20;
constexpr uint64_t kUsesOfByte = 16;

uint64_t constant_bytes(const plan::Tables& plan, int32_t operand) {
  if (operand < 0) return 0;
  const plan::Tensor& tensor = plan.tensors[static_cast<uint32_t>(operand)];
  if (plan.buffers[tensor.buffer].kind != plan::BufferKind::kConstant) return 0;
  return static_cast<uint64_t>(storage_bytes(tensor.type, tensor.shape, tensor.layout));
}

}  // namespace

Status check_constant_uses(const plan::Tables& plan, uint64_t data_bytes) {
  Budget uses = Budget::of_file(kFreeBytes, kUsesOfByte, data_bytes);
  for (uint32_t index = 0; index < plan.operators.size(); ++index)
    for (const int32_t input : plan.operators[index].inputs)
      if (!uses.charge(constant_bytes(plan, input)))
        return Status(
            Code::kInvalidPlan,
            fmt::format("{}: the operators up to it read more than {} bytes of constants, for {} that there are",
                        plan_verify::operator_name(plan, index), uses.limit(), data_bytes));
  return {};
}

}  // namespace nestrt
