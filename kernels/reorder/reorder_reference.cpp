// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/reorder/reorder.h"
#include "runtime/core/channel_blocks.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_reorder_reference(const OperatorSpec& spec) {
  const TensorSpec &input = spec.inputs[0], &output = spec.outputs[0];
  const Shape shape = input.shape;
  const int64_t spatial = shape.product(2, shape.rank()), channels = shape[1];
  const StoredOrder from(shape, input.layout), to(shape, output.layout);
  const auto size = static_cast<int64_t>(size_bytes(input.type)), bytes = output.storage_bytes();
  return make_kernel([=](const KernelCall& call) {
    std::memset(call.outputs[0], 0, static_cast<size_t>(bytes));
    for (int64_t n = 0; n < shape[0]; ++n)
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t s = 0; s < spatial; ++s)
          std::memcpy(call.outputs[0] + to.index(n, c, s) * size, call.inputs[0] + from.index(n, c, s) * size,
                      static_cast<size_t>(size));
  });
}

}  // namespace nestrt::kernels
