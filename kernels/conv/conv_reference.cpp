#include "kernels/common/function_kernel.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/reference_loops.h"

namespace nestrt::kernels {
namespace {

// The element of the input that a tap of an output reads; -1 in the padding.
int64_t source(const ConvAxis& axis, int64_t output, int64_t tap) {
  const int64_t position = output * axis.stride - axis.pad_begin + tap * axis.dilation;
  return position < 0 || position >= axis.input ? -1 : position;
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_conv_reference(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry geometry, conv_geometry(spec));
  const Activation activation = activation_of(spec.op->attributes_as_Conv()->activation());
  return make_kernel([geometry, activation](const KernelCall& call) {
    reference_loops(geometry, activation, call, source,
                    [&](int64_t m, int64_t c) { return m * geometry.group_inputs() + c; });
  });
}

}  // namespace nestrt::kernels
