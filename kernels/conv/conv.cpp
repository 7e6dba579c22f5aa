#include "kernels/conv/conv.h"

#include "kernels/common/rules.h"
#include "kernels/conv/geometry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry geometry, conv_geometry(spec));
  return single_output(DataType::kF32, geometry.output);
}

constexpr KernelVariant kKernels[] = {
    {"conv.f32.depthwise16", 30, accepts_conv_depthwise16, prepare_conv_depthwise16},
    {"conv.f32.direct16", 20, accepts_conv_direct16, prepare_conv_direct16},
    {"conv.f32.stem16", 20, accepts_conv_stem16, prepare_conv_stem16},
    {"conv.f32.gemm", 10, is_plain, prepare_conv_gemm},
    {"conv.f32.reference", 0, is_plain, prepare_conv_reference},
};

}  // namespace

const OperatorRules& conv_rules() {
  static constexpr OperatorRules kRules{plan::Attributes::Conv, "Conv", infer, kKernels};
  return kRules;
}

ConvPlan preferred_conv(const OperatorSpec& spec) {
  const Result<ConvGeometry> geometry = conv_geometry(spec);
  const bool constant =
      spec.inputs[1].constant != nullptr && (!spec.has_input(2) || spec.inputs[2].constant != nullptr);
  if (!geometry || !constant) return {};
  constexpr int64_t kBlock = 16;
  const ConvGeometry& g = *geometry;
  if (g.group == 1 && g.in_channels <= kStemChannels && g.axes[2].dilation == 1)
    return {Layout::kPlain, Layout::kBlocked16, plan::Packing::stem16};
  if (g.group == 1 || (g.group_inputs() % kBlock == 0 && g.group_outputs() % kBlock == 0))
    return {Layout::kBlocked16, Layout::kBlocked16, plan::Packing::o16i16};
  if (g.group == g.in_channels && g.group == g.out_channels)
    return {Layout::kBlocked16, Layout::kBlocked16, plan::Packing::depthwise16};
  return {};
}

}  // namespace nestrt::kernels
