// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/queries/operator_key.h"

#include <algorithm>

#include "runtime/core/byte_key.h"

namespace nestrt {
namespace {

constexpr size_t kReplacedInput = 1;

bool is_constant_tensor(const plan::Tables& plan, int32_t tensor) {
  if (tensor < 0) return false;
  return plan.buffers[plan.tensors[static_cast<size_t>(tensor)].buffer].kind == plan::BufferKind::kConstant;
}

void append_operand(const plan::Tables& plan, int32_t index, std::string& key) {
  using byte_key::append;
  append(key, index >= 0);
  if (index < 0) return;
  const plan::Tensor& tensor = plan.tensors[static_cast<size_t>(index)];
  append(key, tensor.type);
  append(key, tensor.shape);
  append(key, tensor.layout);
  append(key, tensor.packing);
  byte_key::append_if_any(key, tensor.quantization);
  append(key, is_constant_tensor(plan, index));
  if (!is_constant_tensor(plan, index)) return;
  append(key, tensor.buffer);
  append(key, tensor.offset);
}

}  // namespace

std::string operator_key(const plan::Tables& plan, const plan::Operator& op, int32_t weights) {
  std::string key;
  byte_key::append(key, op.attributes);
  byte_key::append(key, op.inputs.size());
  for (size_t i = 0; i < op.inputs.size(); ++i)
    append_operand(plan, i == kReplacedInput && weights >= 0 ? weights : op.inputs[i], key);
  for (const int32_t output : op.outputs) append_operand(plan, output, key);
  return key;
}

bool reads_constants(const plan::Tables& plan, const plan::Operator& op) {
  return std::ranges::any_of(op.inputs, [&](int32_t input) { return is_constant_tensor(plan, input); });
}

}  // namespace nestrt
