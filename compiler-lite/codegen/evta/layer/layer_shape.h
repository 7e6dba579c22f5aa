// SPDX-License-Identifier: Apache-2.0
// LayerShape: the sizes of a ConvLayer or MaxPoolLayer (layer.h) in a configuration's blocks of channels. Groups that
// do not fill blocks are merged until they do; the merged weights are zero between different groups.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler-lite/codegen/evta/layer/layer.h"
#include "drivers/evta/isa/configuration.h"
#include "nestrt/result.h"

namespace nestrt::compiler::evta {

// Returns whole / part, rounded up.
inline int64_t ceil_div(int64_t whole, int64_t part) { return (whole + part - 1) / part; }

struct LayerShape {
  int64_t block = 16;
  int64_t images = 1;
  int64_t groups = 1;  // after merging
  int64_t merged = 1;  // groups of the layer per merged group
  int64_t group_in_blocks = 1;
  int64_t group_out_blocks = 1;
  LayerAxis y, x;
  bool identity = false;  // group_in_blocks == group_out_blocks, and blocks do not mix
  int64_t begin_row = 0;  // ConvLayer::begin_row
  int64_t end_row = 0;    // ConvLayer::end_row

  int64_t in_blocks() const { return groups * group_in_blocks; }
  int64_t out_blocks() const { return groups * group_out_blocks; }
  int64_t taps() const { return y.kernel * x.kernel; }
  // Returns the rows of all output blocks, without skipped rows.
  int64_t lines() const {
    return out_blocks() * y.output() - begin_row - (end_row > 0 ? y.output() - end_row : int64_t{0});
  }
  // Sizes of the tensors in DRAM, in elements of INP and OUT, and of the weights, in elements of WGT.
  int64_t input_elements() const { return images * in_blocks() * y.input * x.input; }
  int64_t output_elements() const { return images * lines() * x.output(); }
  int64_t weight_elements() const { return identity ? 0 : out_blocks() * group_in_blocks * taps(); }
  // Returns the number of GEMM micro-ops for the sums.
  int64_t gemms() const { return output_elements() * taps() * (identity ? 1 : group_in_blocks); }
};

// Returns all sizes as text.
std::string to_string(const LayerShape& shape);

// Errors: those of check(layer); kUnsupported if a tensor exceeds the address space or groups cannot be merged into
// blocks.
Result<LayerShape> layer_shape(const nestrt::evta::Configuration& configuration, const ConvLayer& layer);

// [out_blocks][group_in_blocks][y.kernel][x.kernel][block of outputs][block of inputs]; missing channels are zero.
// Empty for an identity.
std::vector<int8_t> packed_weights(const ConvLayer& layer, const LayerShape& shape);

// Appends an element of weights that multiplies a block by `factor`.
void append_identity(std::vector<int8_t>& weights, int64_t block, int8_t factor);

}  // namespace nestrt::compiler::evta
