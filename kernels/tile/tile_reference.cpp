#include "kernels/common/elements.h"
#include "kernels/common/function_kernel.h"
#include "kernels/tile/tile.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_tile_reference(const OperatorSpec& spec) {
  const Shape input = spec.inputs[0].shape, output = spec.outputs[0].shape;
  const Index strides = strides_of(input);
  return make_kernel([=, size = size_bytes(spec.inputs[0].type)](const KernelCall& call) {
    const int added = output.rank() - input.rank();
    copy_elements(output, size, call.inputs[0], call.outputs[0], [&](const Index& index) {
      int64_t source = 0;
      for (int axis = 0; axis < input.rank(); ++axis)
        source += index[static_cast<size_t>(added + axis)] % input[axis] * strides[static_cast<size_t>(axis)];
      return source;
    });
  });
}

}  // namespace nestrt::kernels
