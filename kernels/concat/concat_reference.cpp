// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <vector>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/rules.h"
#include "kernels/concat/concat.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_concat_reference(const OperatorSpec& spec) {
  const Shape& output = spec.outputs[0].shape;
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(spec.as<ops::Concat>()->axis, output.rank()));
  std::vector<size_t> row_bytes;  // by input: its bytes in each output row
  for (const TensorSpec& input : spec.inputs)
    row_bytes.push_back(static_cast<size_t>(input.shape.product(axis, output.rank())) * size_bytes(input.type));
  const int64_t rows = output.product(0, axis);
  return make_kernel([rows, row_bytes](const KernelCall& call) {
    std::byte* to = call.outputs[0];
    for (int64_t row = 0; row < rows; ++row) {
      for (size_t i = 0; i < row_bytes.size(); ++i) {
        const std::byte* const from = call.inputs[i] + static_cast<size_t>(row) * row_bytes[i];
        // Skips an input that the plan has already placed at its destination.
        if (row_bytes[i] > 0 && from != to) std::memcpy(to, from, row_bytes[i]);
        to += row_bytes[i];
      }
    }
  });
}

}  // namespace nestrt::kernels
