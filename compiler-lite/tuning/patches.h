// SPDX-License-Identifier: Apache-2.0
// Patches: the input elements that a product (passes/product.h) multiplies by the weights of one output element.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// One patch per row: the elements of each group, in the order of the weights.
using PatchMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class PatchReader {
 public:
  // Requires: a product whose input has a static shape.
  PatchReader(const Graph& graph, const Node& product);

  int64_t groups() const { return groups_; }
  int64_t group_length() const { return channels_ / groups_ * static_cast<int64_t>(num_taps_); }
  int64_t patch_length() const { return group_length() * groups_; }
  // Returns the number of patches of an input: one per image and output position.
  int64_t num_patches() const { return images_ * positions_; }

  // Writes patch `index` of the input to `patch`. Elements in the padding are 0.
  // Requires: index < num_patches(); patch_length() elements.
  void read(std::span<const float> input, int64_t index, float* patch) const;

 private:
  std::vector<int64_t> input_size_, output_size_;  // spatial
  std::vector<int32_t> kernel_, stride_, dilation_, pad_;
  int64_t images_ = 1, channels_ = 1, groups_ = 1, positions_ = 1;
  size_t num_taps_ = 1;
};

}  // namespace nestrt::compiler
