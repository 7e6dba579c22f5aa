// SPDX-License-Identifier: Apache-2.0
// Returns an operand of a plan's operator in the form that its rules and kernels use.
#pragma once

#include <cstdint>

#include "nestrt/driver/plan_tables.h"
#include "runtime/kernel/kernel.h"

namespace nestrt {

// `index` is as in Operator.inputs. The address of a constant is not set. The quantization belongs to the plan.
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
