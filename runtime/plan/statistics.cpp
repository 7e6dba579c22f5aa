#include "runtime/plan/statistics.h"

#include "runtime/plan/tables.h"

namespace nestrt {
namespace {

uint64_t elements(const plan::Tensor& tensor) { return static_cast<uint64_t>(shape_of(tensor).num_elements()); }

uint64_t bytes_of(const plan::Plan& plan, const plan::Tensor& tensor) {
  const plan::Buffer* buffer = plan.buffers()->Get(tensor.buffer());
  if (buffer->kind() == plan::BufferKind::constant) return buffer->size();
  return static_cast<uint64_t>(storage_bytes(static_cast<DataType>(tensor.type()), shape_of(tensor),
                                             static_cast<Layout>(tensor.layout())));
}

uint64_t macs(const plan::Plan& plan, const plan::Operator& op) {
  const auto operand = [&](flatbuffers::uoffset_t index) {
    return plan.tensors()->Get(static_cast<uint32_t>(op.inputs()->Get(index)));
  };
  const plan::Tensor* output = plan.tensors()->Get(static_cast<uint32_t>(op.outputs()->Get(0)));
  const auto weights_per = [&](const plan::Tensor* weights, int axis) {
    const auto dim = static_cast<uint64_t>(shape_of(*weights)[axis]);
    return dim == 0 ? 0 : elements(*weights) / dim;
  };
  switch (op.attributes_type()) {
    case plan::Attributes::Conv:
      return elements(*output) * weights_per(operand(1), 0);
    case plan::Attributes::ConvTranspose:
      return elements(*operand(0)) * weights_per(operand(1), 0);
    case plan::Attributes::Dense:
      return elements(*output) * static_cast<uint64_t>(shape_of(*operand(1))[0]);
    case plan::Attributes::MatMul: {
      const Shape shape = shape_of(*operand(0));
      return elements(*output) * static_cast<uint64_t>(shape[shape.rank() - 1]);
    }
    default:
      return 0;
  }
}

}  // namespace

OperatorStatistics statistics(const plan::Plan& plan, const plan::Operator& op) {
  OperatorStatistics result;
  for (int32_t index : items(op.inputs())) {
    if (index < 0) continue;
    const plan::Tensor* tensor = plan.tensors()->Get(static_cast<uint32_t>(index));
    const bool constant = plan.buffers()->Get(tensor->buffer())->kind() == plan::BufferKind::constant;
    (constant ? result.weight_bytes : result.input_bytes) += bytes_of(plan, *tensor);
  }
  for (int32_t index : items(op.outputs()))
    result.output_bytes += bytes_of(plan, *plan.tensors()->Get(static_cast<uint32_t>(index)));
  result.macs = macs(plan, op);
  return result;
}

}  // namespace nestrt
