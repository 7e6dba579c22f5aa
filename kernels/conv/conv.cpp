// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/conv.h"

#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/math/channel_division.h"
#include "kernels/common/quantization/s8_operands.h"
#include "kernels/conv/geometry.h"
#include "kernels/registry.h"
#include "runtime/kernel/packing.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry geometry, conv_geometry(spec));
  if (spec.inputs[0].type == DataType::kF32) return single_output(DataType::kF32, geometry.output);
  if (!spec.outputs.empty()) NESTRT_RETURN_IF_ERROR(s8::conv_epilogue(spec).error());
  const bool wide = spec.as<ops::Conv>()->wide_output;
  return single_output(wide ? DataType::kF32 : DataType::kS8, geometry.output);
}

// Returns the number of products per output element.
int64_t weights_per_output(const OperatorSpec& spec) {
  const Shape& weights = spec.inputs[1].shape;
  return weights.product(1, weights.rank());
}

uint64_t macs(const OperatorSpec& spec) {
  return static_cast<uint64_t>(spec.outputs[0].shape.num_elements()) * static_cast<uint64_t>(weights_per_output(spec));
}

int64_t steps(const OperatorSpec& spec) {
  return element_steps(spec, 1, saturating_sum(kCopySteps, weights_per_output(spec)));
}

constexpr size_t kWeights = 1, kBias = 2, kResidual = 3;  // indices of the inputs

// Returns the axis along which an input is split. The parts of a depthwise convolution read only their own input
// channels; those of other convolutions read all channels.
int cut_axis(const ops::Attributes& attributes, size_t input) {
  if (input == 0 && std::get<ops::Conv>(attributes).group == 1) return kUncut;
  return input == kWeights || input == kBias ? 0 : 1;
}

bool packed_by_outputs(const TensorSpec& weights, bool depthwise) {
  const PackingRow& row = row_of(weights.packing);
  const bool for_all_channels =
      row.form == PackedForm::kConvolution || row.form == PackedForm::kStem || row.form == PackedForm::kWinograd;
  return row.type == DataType::kS8 && (depthwise ? row.form == PackedForm::kDepthwise : for_all_channels);
}

bool divides_weights(const TensorSpec& weights, int64_t channels, bool depthwise) {
  return has_exponents(weights) && packed_by_outputs(weights, depthwise) &&
         packed_size_bytes(weights.packing, weights.shape).has_value() && weights.shape[0] == channels;
}

bool divides_bias(const TensorSpec& bias, int64_t channels) {
  return bias.type == DataType::kS32 && bias.layout == Layout::kPlain && bias.packing == Packing::kNone &&
         bias.shape == Shape{channels};
}

bool divides(const OperatorSpec& spec) {
  const ops::Conv& conv = *spec.as<ops::Conv>();
  const DataType type = conv.wide_output ? DataType::kF32 : DataType::kS8;
  if (!has_blocked_operands(spec, cut_axis, type) || spec.inputs.size() <= kWeights) return false;
  if (!has_exponents(spec.inputs[0])) return false;
  const Shape& output = spec.outputs[0].shape;
  const int64_t channels = output[1];
  const bool depthwise = conv.group != 1;
  if (depthwise && conv.group != channels) return false;
  return divides_weights(spec.inputs[kWeights], channels, depthwise) &&
         (!spec.has_input(kBias) || divides_bias(spec.inputs[kBias], channels)) &&
         (!spec.has_input(kResidual) || spec.inputs[kResidual].shape == output);
}

// Returns whether parts may consist of rows. Not for depthwise convolutions, whose parts would need input rows of other
// parts.
bool divides_rows(const OperatorSpec& spec) { return spec.as<ops::Conv>()->group == 1; }

constexpr KernelVariant kKernels[] = {
    {"conv.s8.depthwise16", 30, accepts_conv_s8_depthwise16, prepare_conv_s8_depthwise16, Packing::kS8Depthwise16},
    {"conv.s8.depthwise16.dot4", 31, accepts_conv_s8_depthwise16_dot4, prepare_conv_s8_depthwise16_dot4,
     Packing::kS8Depthwise16, InstructionSet::kAvx512Vnni},
    {"conv.s8.direct16", 20, accepts_conv_s8_direct16, prepare_conv_s8_direct16, Packing::kS8O16i4},
    {"conv.s8.winograd16", 21, accepts_conv_s8_winograd16, prepare_conv_s8_winograd16, Packing::kS8Winograd16,
     InstructionSet::kNeon},
    {"conv.s8.direct16.dot4", 22, accepts_conv_s8_direct16, prepare_conv_s8_direct16, Packing::kS8O16i4,
     InstructionSet::kNeonDotprod},
    {"conv.s8.winograd16.wide", 21, accepts_conv_s8_winograd16_wide, prepare_conv_s8_winograd16, Packing::kS8O16i4,
     InstructionSet::kAvx2},
    {"conv.s8.direct16.vnni", 22, accepts_conv_s8_direct16, prepare_conv_s8_direct16, Packing::kS8O16i4,
     InstructionSet::kAvx512Vnni},
    {"conv.s8.amx16", 23, accepts_conv_s8_amx16, prepare_conv_s8_amx16, Packing::kS8O16i4, InstructionSet::kAvx512Amx},
    {"conv.s8.stem16", 24, accepts_conv_s8_stem16, prepare_conv_s8_stem16, Packing::kS8Stem},
    {"conv.f32.depthwise16", 30, accepts_conv_depthwise16, prepare_conv_depthwise16, Packing::kDepthwise16},
    {"conv.f32.direct16", 20, accepts_conv_direct16, prepare_conv_direct16, Packing::kO16i16},
    {"conv.f32.winograd16", 25, accepts_conv_winograd16, prepare_conv_winograd16, Packing::kWinograd16,
     InstructionSet::kNeon},
    {"conv.f32.winograd16.wide", 25, accepts_conv_winograd16_wide, prepare_conv_winograd16_wide, Packing::kWinograd16,
     InstructionSet::kAvx2},
    {"conv.f32.winograd16.two", 24, accepts_conv_winograd16_two, prepare_conv_winograd16_two, Packing::kWinograd16Two,
     InstructionSet::kNeon},
    {"conv.f32.winograd16.strided", 25, accepts_conv_winograd16_strided, prepare_conv_winograd16_strided,
     Packing::kWinograd16Strided, InstructionSet::kNeon},
    {"conv.f32.stem16", 20, accepts_conv_stem16, prepare_conv_stem16, Packing::kStem16},
    {"conv.f32.stem16.winograd", 25, accepts_conv_stem_winograd16, prepare_conv_stem_winograd16, Packing::kStem16,
     InstructionSet::kNeon},
    {"conv.s8.gather", 10, accepts_conv_s8_gather, prepare_conv_s8_gather},
    {"conv.f32.gemm.narrow", 26, accepts_conv_gemm_narrow, prepare_conv_gemm},
    {"conv.f32.gemm", 10, accepts_conv_gemm, prepare_conv_gemm},
    {"conv.f32.reference", 0, accepts_conv_plain_f32, prepare_conv_reference},
    {"conv.s8.reference", 0, accepts_conv_s8_reference, prepare_conv_s8_reference},
};

}  // namespace

template <>
const OperatorRules& rules<ops::Conv>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kConv,
      .infer = infer,
      .macs = macs,
      .steps = steps,
      .division = Division{divides, cut_axis, divides_rows},
      .kernels = {kKernels},
  };
  return kRules;
}

bool accepts_conv_plain_f32(const OperatorSpec& spec) {
  return spec.inputs[0].type == DataType::kF32 && is_plain(spec);
}

}  // namespace nestrt::kernels
