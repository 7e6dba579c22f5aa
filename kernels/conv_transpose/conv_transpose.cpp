#include "kernels/conv_transpose/conv_transpose.h"

#include "kernels/common/rules.h"
#include "kernels/conv/geometry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry geometry, conv_transpose_geometry(spec));
  return single_output(DataType::kF32, geometry.output);
}

constexpr KernelVariant kKernels[] = {
    {"conv_transpose.f32.gemm", 10, is_plain, prepare_conv_transpose_gemm},
    {"conv_transpose.f32.reference", 0, is_plain, prepare_conv_transpose_reference},
};

}  // namespace

const OperatorRules& conv_transpose_rules() {
  static constexpr OperatorRules kRules{plan::Attributes::ConvTranspose, "ConvTranspose", infer, kKernels};
  return kRules;
}

}  // namespace nestrt::kernels
