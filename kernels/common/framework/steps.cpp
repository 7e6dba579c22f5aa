// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/framework/steps.h"

namespace nestrt::kernels {
namespace {

int64_t elements_of(std::span<const TensorSpec> tensors) {
  int64_t elements = 0;
  for (const TensorSpec& tensor : tensors)
    if (tensor.present) elements = saturating_sum(elements, tensor.shape.num_elements());
  return elements;
}

}  // namespace

int64_t saturating_product(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}

int64_t saturating_sum(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? INT64_MAX : result;
}

int64_t element_steps(const OperatorSpec& spec, int64_t per_input, int64_t per_output) {
  return saturating_sum(saturating_product(elements_of(spec.inputs), per_input),
                        saturating_product(elements_of(spec.outputs), per_output));
}

int64_t copy_steps(const OperatorSpec& spec) { return element_steps(spec, 1, kCopySteps); }

int64_t function_steps(const OperatorSpec& spec) { return element_steps(spec, 1, kFunctionSteps); }

uint64_t no_macs(const OperatorSpec&) { return 0; }

}  // namespace nestrt::kernels
