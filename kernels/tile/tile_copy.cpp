#include "kernels/common/elements.h"
#include "kernels/common/function_kernel.h"
#include "kernels/common/strided_copy.h"
#include "kernels/tile/tile.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_tile_copy(const OperatorSpec& spec) {
  const Shape &input = spec.inputs[0].shape, &output = spec.outputs[0].shape;
  if (output.num_elements() == 0) return make_kernel([](const KernelCall&) {});
  const Index from = strides_of(input), to = strides_of(output);
  const int added = output.rank() - input.rank();
  std::vector<CopyAxis> axes;
  for (int axis = 0; axis < output.rank(); ++axis) {
    const int64_t stride = to[static_cast<size_t>(axis)];
    const int64_t dim = axis < added ? 1 : input[axis - added];
    axes.push_back({output[axis] / dim, 0, dim * stride});
    if (dim > 1) axes.push_back({dim, from[static_cast<size_t>(axis - added)], stride});
  }
  return make_kernel([copy = StridedCopy(size_bytes(spec.inputs[0].type), axes)](const KernelCall& call) {
    copy.run(call.inputs[0], call.outputs[0], *call.parallel);
  });
}

}  // namespace nestrt::kernels
