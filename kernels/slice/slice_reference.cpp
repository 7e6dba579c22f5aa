#include "kernels/common/elements.h"
#include "kernels/common/function_kernel.h"
#include "kernels/common/rules.h"
#include "kernels/slice/slice.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_slice_reference(const OperatorSpec& spec) {
  const TensorSpec &input = spec.inputs[0], &output = spec.outputs[0];
  const auto* slice = spec.op->attributes_as_Slice();
  const auto start = span_of(slice->start()), step = span_of(slice->step());
  const Index strides = strides_of(input.shape);
  return make_kernel([=, shape = output.shape, size = size_bytes(input.type)](const KernelCall& call) {
    copy_elements(shape, size, call.inputs[0], call.outputs[0], [&](const Index& index) {
      int64_t source = 0;
      for (size_t i = 0; i < start.size(); ++i) source += (start[i] + index[i] * step[i]) * strides[i];
      return source;
    });
  });
}

}  // namespace nestrt::kernels
