#include "kernels/conv/conv.h"

#include "kernels/common/rules.h"
#include "kernels/common/s8_operands.h"
#include "kernels/conv/geometry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry geometry, conv_geometry(spec));
  if (spec.inputs[0].type == DataType::kF32) return single_output(DataType::kF32, geometry.output);
  if (!spec.outputs.empty()) NESTRT_RETURN_IF_ERROR(s8::conv_epilogue(spec).error());
  const bool wide = spec.op->attributes_as_Conv()->wide_output();
  return single_output(wide ? DataType::kF32 : DataType::kS8, geometry.output);
}

constexpr KernelVariant kKernels[] = {
    {"conv.s8.depthwise16", 30, accepts_conv_s8_depthwise16, prepare_conv_s8_depthwise16},
    {"conv.s8.depthwise16.fours", 31, accepts_conv_s8_depthwise16_fours, prepare_conv_s8_depthwise16_fours},
    {"conv.s8.direct16", 20, accepts_conv_s8_direct16, prepare_conv_s8_direct16},
    {"conv.s8.stem16", 20, accepts_conv_s8_stem16, prepare_conv_s8_stem16},
    {"conv.f32.depthwise16", 30, accepts_conv_depthwise16, prepare_conv_depthwise16},
    {"conv.f32.direct16", 20, accepts_conv_direct16, prepare_conv_direct16},
    {"conv.f32.stem16", 20, accepts_conv_stem16, prepare_conv_stem16},
    {"conv.s8.gather", 10, accepts_conv_s8_gather, prepare_conv_s8_gather},
    {"conv.f32.gemm", 10, accepts_conv_plain_f32, prepare_conv_gemm},
    {"conv.f32.reference", 0, accepts_conv_plain_f32, prepare_conv_reference},
    {"conv.s8.reference", 0, accepts_conv_s8_reference, prepare_conv_s8_reference},
};

}  // namespace

const OperatorRules& conv_rules() {
  static constexpr OperatorRules kRules{plan::Attributes::Conv, "Conv", infer, kKernels};
  return kRules;
}

bool accepts_conv_plain_f32(const OperatorSpec& spec) {
  return spec.inputs[0].type == DataType::kF32 && is_plain(spec);
}

ConvPlan preferred_conv(const OperatorSpec& spec) {
  const Result<ConvGeometry> geometry = conv_geometry(spec);
  const bool constant =
      spec.inputs[1].constant != nullptr && (!spec.has_input(2) || spec.inputs[2].constant != nullptr);
  const bool quantized = spec.inputs[0].type == DataType::kS8;
  if (!geometry || !constant) return {};
  const auto packing = [&](plan::Packing f32, plan::Packing s8) { return quantized ? s8 : f32; };
  constexpr int64_t kBlock = 16;
  const ConvGeometry& g = *geometry;
  if (g.group == 1 && g.in_channels <= kStemChannels && g.axes[2].dilation == 1)
    return {Layout::kPlain, Layout::kBlocked16, packing(plan::Packing::stem16, plan::Packing::s8_stem)};
  if (g.group == 1 || (g.group_inputs() % kBlock == 0 && g.group_outputs() % kBlock == 0))
    return {Layout::kBlocked16, Layout::kBlocked16, packing(plan::Packing::o16i16, plan::Packing::s8_o16i4)};
  if (g.group == g.in_channels && g.group == g.out_channels)
    return {Layout::kBlocked16, Layout::kBlocked16, packing(plan::Packing::depthwise16, plan::Packing::s8_depthwise16)};
  return {};
}

}  // namespace nestrt::kernels
