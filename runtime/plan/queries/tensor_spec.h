// An operand of a plan's operator as its rules and kernels see it.
#pragma once

#include <cstdint>

#include "nestrt/driver/plan_tables.h"
#include "runtime/kernel/kernel.h"

namespace nestrt {

// `index` as in Operator.inputs; where a constant's elements lie is not known here. Its quantization is the plan's.
// Requires: an index of the plan, or -1.
inline TensorSpec tensor_spec(const plan::Tables& plan, int32_t index) {
  TensorSpec spec;
  spec.present = index >= 0;
  if (!spec.present) return spec;
  const plan::Tensor& tensor = plan.tensors[static_cast<size_t>(index)];
  spec.type = tensor.type;
  spec.shape = tensor.shape;
  spec.layout = tensor.layout;
  spec.packing = tensor.packing;
  spec.quantization = tensor.quantization ? &*tensor.quantization : nullptr;
  return spec;
}

}  // namespace nestrt
