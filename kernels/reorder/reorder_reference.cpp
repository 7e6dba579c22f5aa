#include <cstring>

#include "kernels/common/function_kernel.h"
#include "kernels/common/integers.h"
#include "kernels/reorder/reorder.h"

namespace nestrt::kernels {
namespace {

// Where element (n, c, s) of a tensor with `channels` channels and `spatial` elements per channel lies.
int64_t position(int64_t block, int64_t channels, int64_t spatial, int64_t n, int64_t c, int64_t s) {
  const int64_t blocks = ceil_div(channels, block);
  return ((n * blocks + c / block) * spatial + s) * block + c % block;
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_reorder_reference(const OperatorSpec& spec) {
  const TensorSpec &input = spec.inputs[0], &output = spec.outputs[0];
  const Shape shape = input.shape;
  const int64_t spatial = shape.product(2, shape.rank()), channels = shape[1];
  const int64_t from_block = block_size(input.layout), to_block = block_size(output.layout);
  const auto size = static_cast<int64_t>(size_bytes(input.type)), bytes = output.storage_bytes();
  return make_kernel([=](const KernelCall& call) {
    std::memset(call.outputs[0], 0, static_cast<size_t>(bytes));
    for (int64_t n = 0; n < shape[0]; ++n)
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t s = 0; s < spatial; ++s)
          std::memcpy(call.outputs[0] + position(to_block, channels, spatial, n, c, s) * size,
                      call.inputs[0] + position(from_block, channels, spatial, n, c, s) * size,
                      static_cast<size_t>(size));
  });
}

}  // namespace nestrt::kernels
