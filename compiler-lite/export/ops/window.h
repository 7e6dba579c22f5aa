// SPDX-License-Identifier: Apache-2.0
// Attributes for the sliding window of convolutions and pools.
#pragma once

#include <algorithm>

#include "compiler-lite/export/node_writer.h"

namespace nestrt::compiler {

// Returns kernel_shape, strides and pads of a Conv, ConvTranspose or Pool, and dilations if `states_dilations` is set
// or a dilation is not 1.
template <typename Op>
WrittenAttributes window_attributes(const Op& op, bool states_dilations) {
  std::vector<int32_t> pads = op.pad_begin;
  pads.insert(pads.end(), op.pad_end.begin(), op.pad_end.end());
  WrittenAttributes attributes = {{"kernel_shape", op.kernel}, {"strides", op.stride}, {"pads", pads}};
  const bool is_dilated = std::ranges::any_of(op.dilation, [](int32_t dilation) { return dilation != 1; });
  if (states_dilations || is_dilated) attributes.emplace_back("dilations", op.dilation);
  return attributes;
}

}  // namespace nestrt::compiler
