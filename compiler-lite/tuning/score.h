// SPDX-License-Identifier: Apache-2.0
// Score: loss of a quantization relative to the same network in f32, measured over samples.
#pragma once

#include <cstdint>
#include <optional>

namespace nestrt::compiler {

struct Score {
  uint64_t samples = 0;
  // Rows of class scores in the network's first output (0 if it has none), and how many have the same top class as in
  // f32. A classifier of single images has one row per sample.
  uint64_t rows = 0;
  uint64_t agreeing = 0;
  // With labels: samples whose top class is the labelled one.
  std::optional<uint64_t> right;
  std::optional<uint64_t> right_in_f32;
  double decibel = 0;    // signal-to-noise ratio over all f32 outputs of all samples
  double f32_share = 0;  // fraction of multiply-accumulates in f32
  uint64_t plan_bytes = 0;

  double agreement() const;  // as a fraction
  // Returns the top-1 loss in percentage points of the samples. With labels: the accuracy lost against f32, which may
  // be negative. Without labels: the percentage of rows that disagree with f32.
  double loss() const;
  // Returns true for a lower loss, or for an equal loss with less noise.
  bool better_than(const Score& other) const;
};

}  // namespace nestrt::compiler
