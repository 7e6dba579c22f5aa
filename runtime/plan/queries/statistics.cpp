// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/queries/statistics.h"

#include <vector>

#include "runtime/core/services.h"
#include "runtime/plan/queries/tensor_spec.h"

namespace nestrt {
namespace {

uint64_t bytes_of(const plan::Tables& plan, const plan::Tensor& tensor) {
  const plan::Buffer& buffer = plan.buffers[tensor.buffer];
  if (buffer.kind == plan::BufferKind::kConstant) return buffer.size;
  return static_cast<uint64_t>(storage_bytes(tensor.type, tensor.shape, tensor.layout));
}

uint64_t macs(const plan::Tables& plan, const plan::Operator& op) {
  const OperatorRules* const rules = services().operators.find(op.kind());
  if (rules == nullptr) return 0;
  std::vector<TensorSpec> inputs, outputs;
  for (const int32_t tensor : op.inputs) inputs.push_back(tensor_spec(plan, tensor));
  for (const int32_t tensor : op.outputs) outputs.push_back(tensor_spec(plan, tensor));
  return rules->macs.get()({&op.attributes, inputs, outputs});
}

}  // namespace

OperatorStatistics statistics(const plan::Tables& plan, const plan::Operator& op) {
  OperatorStatistics result;
  for (int32_t index : op.inputs) {
    if (index < 0) continue;
    const plan::Tensor& tensor = plan.tensors[static_cast<size_t>(index)];
    const bool constant = plan.buffers[tensor.buffer].kind == plan::BufferKind::kConstant;
    (constant ? result.weight_bytes : result.input_bytes) += bytes_of(plan, tensor);
  }
  for (int32_t index : op.outputs) result.output_bytes += bytes_of(plan, plan.tensors[static_cast<size_t>(index)]);
  result.macs = macs(plan, op);
  return result;
}

}  // namespace nestrt
