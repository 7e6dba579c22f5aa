// Score: what a quantization costs a network, measured over samples against the same network in f32.
#pragma once

#include <cstdint>
#include <optional>

namespace nestrt::compiler {

struct Score {
  uint64_t samples = 0;
  // Vectors of class scores in the network's first output (none where it has no such), and how many have the largest
  // one in the same place as in f32. A classifier of single images has one row for each sample.
  uint64_t rows = 0;
  uint64_t agreeing = 0;
  // With labels: samples whose largest score is that of the stated class.
  std::optional<uint64_t> right;
  std::optional<uint64_t> right_in_f32;
  double decibel = 0;    // signal-to-noise ratio over all f32 outputs of all samples
  double f32_share = 0;  // share of the multiply-accumulates
  uint64_t plan_bytes = 0;

  double agreement() const;  // a fraction
  // Loss of top-1, in points (per cent of the samples): with labels the accuracy lost against f32, which may be
  // negative; otherwise the share of rows that disagree with f32, which is never less.
  double loss() const;
  // Less loss, or equal loss and less noise.
  bool better_than(const Score& other) const;
};

}  // namespace nestrt::compiler
