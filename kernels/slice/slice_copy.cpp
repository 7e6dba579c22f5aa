#include "kernels/common/elements.h"
#include "kernels/common/function_kernel.h"
#include "kernels/common/rules.h"
#include "kernels/common/strided_copy.h"
#include "kernels/slice/slice.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_slice_copy(const OperatorSpec& spec) {
  const Shape& output = spec.outputs[0].shape;
  const auto* slice = spec.op->attributes_as_Slice();
  const auto start = span_of(slice->start()), step = span_of(slice->step());
  const Index from = strides_of(spec.inputs[0].shape), to = strides_of(output);
  if (output.num_elements() == 0) return make_kernel([](const KernelCall&) {});
  std::vector<CopyAxis> axes;
  int64_t offset = 0;
  for (size_t i = 0; i < start.size(); ++i) {
    const int64_t count = output[static_cast<int>(i)];
    axes.push_back({count, count == 1 ? 0 : step[i] * from[i], to[i]});
    offset += start[i] * from[i];
  }
  return make_kernel([copy = StridedCopy(size_bytes(spec.inputs[0].type), axes, offset)](const KernelCall& call) {
    copy.run(call.inputs[0], call.outputs[0], *call.parallel);
  });
}

}  // namespace nestrt::kernels
