// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/blocked.h"

#include <algorithm>

#include "kernels/common/packing/packing.h"
#include "runtime/kernel/packing.h"

namespace nestrt::kernels {

bool accepts_blocked(const OperatorSpec& spec, Layout input, Packing packing) {
  const TensorSpec& weights = spec.inputs[1];
  if (spec.inputs[0].type != DataType::kF32) return false;
  if (spec.inputs[0].layout != input || spec.outputs[0].layout != Layout::kBlocked16) return false;
  if (spec.has_input(3) && spec.inputs[3].layout != Layout::kBlocked16) return false;
  if (weights.constant == nullptr || (spec.has_input(2) && spec.inputs[2].constant == nullptr)) return false;
  return packing_fits(weights.packing, weights.shape) && packing_fits(packing, weights.shape);
}

bool accepts_s8_blocked(const OperatorSpec& spec, Layout input, Packing packing) {
  const TensorSpec& weights = spec.inputs[1];
  if (spec.inputs[0].type != DataType::kS8 || spec.inputs[0].layout != input) return false;
  if (spec.outputs[0].layout != Layout::kBlocked16) return false;
  if (spec.has_input(3) && spec.inputs[3].layout != Layout::kBlocked16) return false;
  const bool unpacks = weights.packing == Packing::kNone || packed_type(weights.packing) == DataType::kS8;
  return unpacks && packing_fits(packing, weights.shape);
}

bool has_bounds(const OperatorSpec& spec) { return s8::has_bounds(spec.as<ops::Conv>()->activation.kind); }

Result<S8Product> make_s8_conv(const OperatorSpec& spec, const ConvGeometry& geometry, Packing packing,
                               int64_t block_bytes, S8Product::Multiplier multiplier) {
  NESTRT_ASSIGN_OR_RETURN(const s8::Epilogue epilogue, s8::conv_epilogue(spec));
  NESTRT_ASSIGN_OR_RETURN(PackedBytes weights, PackedBytes::make(spec.inputs[1], packing));
  const auto padded = [](const ConvAxis& axis) { return axis.pad_begin > 0 || axis.pad_end > 0; };
  const bool pixels = geometry.taps() == 1 && std::none_of(geometry.axes.begin(), geometry.axes.end(), padded);
  const S8Segments segments = packing == Packing::kS8Stem ? S8Segments::kOne
                              : pixels                    ? S8Segments::kPixels
                                                          : S8Segments::kTaps;
  return S8Product::make(std::move(weights), geometry.out_channels, block_bytes, s8_bias(spec), epilogue, segments,
                         multiplier);
}

Result<BlockedConv> make_blocked_conv(const OperatorSpec& spec, Packing packing) {
  BlockedConv conv;
  NESTRT_ASSIGN_OR_RETURN(conv.geometry, conv_geometry(spec));
  conv.activation = spec.as<ops::Conv>()->activation;
  NESTRT_ASSIGN_OR_RETURN(conv.weights, PackedConstant::make(spec.inputs[1], packing));
  NESTRT_ASSIGN_OR_RETURN(conv.bias, padded_bias(spec, 2));
  conv.tile = tile16_function();
  conv.limits = tile16_limits();
  return conv;
}

}  // namespace nestrt::kernels
