#include <cstring>

#include "kernels/common/elements.h"
#include "kernels/common/function_kernel.h"
#include "kernels/pad/pad.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_pad_reference(const OperatorSpec& spec) {
  const Shape output = spec.outputs[0].shape;
  const Index strides = strides_of(spec.inputs[0].shape);
  const plan::PadMode mode = spec.op->attributes_as_Pad()->mode();
  const size_t size = size_bytes(spec.inputs[0].type);
  return make_kernel(
      [=, axes = pad_axes(spec),
       element = element_of(spec.op->attributes_as_Pad()->value(), spec.inputs[0].type)](const KernelCall& call) {
        for_each_index(output, [&](const Index& index, int64_t position) {
          int64_t source = 0;
          bool padding = false;
          for (size_t i = 0; i < static_cast<size_t>(output.rank()); ++i) {
            int64_t along = index[i] - axes[i].begin;
            if (!axes[i].contains(along)) {
              padding = padding || mode == plan::PadMode::constant;
              if (!padding) along = axes[i].outside(along, mode);
            }
            source += along * strides[i];
          }
          const std::byte* from = padding ? element.data() : call.inputs[0] + source * static_cast<int64_t>(size);
          std::memcpy(call.outputs[0] + static_cast<size_t>(position) * size, from, size);
        });
      });
}

}  // namespace nestrt::kernels
