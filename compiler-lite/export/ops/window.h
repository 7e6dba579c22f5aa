// SPDX-License-Identifier: Apache-2.0
// Sliding window of convolutions and pools as attributes.
#pragma once

#include "compiler-lite/export/node_writer.h"

namespace nestrt::compiler {

// Returns kernel_shape, strides and pads of a Conv, ConvTranspose or Pool, and dilations unless all are 1.
template <typename Op>
WrittenAttributes window_attributes(const Op& op) {
  std::vector<int32_t> pads = op.pad_begin;
  pads.insert(pads.end(), op.pad_end.begin(), op.pad_end.end());
  WrittenAttributes attributes = {{"kernel_shape", op.kernel}, {"strides", op.stride}, {"pads", pads}};
  for (const int32_t dilation : op.dilation) {
    if (dilation == 1) continue;
    attributes.emplace_back("dilations", op.dilation);
    break;
  }
  return attributes;
}

}  // namespace nestrt::compiler
