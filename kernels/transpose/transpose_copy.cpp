#include "kernels/common/elements.h"
#include "kernels/common/function_kernel.h"
#include "kernels/common/rules.h"
#include "kernels/common/strided_copy.h"
#include "kernels/transpose/transpose.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_transpose_copy(const OperatorSpec& spec) {
  const Shape& output = spec.outputs[0].shape;
  const auto permutation = span_of(spec.op->attributes_as_Transpose()->permutation());
  const Index from = strides_of(spec.inputs[0].shape), to = strides_of(output);
  std::vector<CopyAxis> axes;
  for (size_t i = 0; i < permutation.size(); ++i)
    axes.push_back({output[static_cast<int>(i)], from[static_cast<size_t>(permutation[i])], to[i]});
  return make_kernel([copy = StridedCopy(size_bytes(spec.inputs[0].type), axes)](const KernelCall& call) {
    copy.run(call.inputs[0], call.outputs[0], *call.parallel);
  });
}

}  // namespace nestrt::kernels
