// SPDX-License-Identifier: Apache-2.0
// Code shared by the transposed convolutions over blocked16 tensors.
#pragma once

#include <vector>

#include "kernels/common/math/activation.h"
#include "kernels/common/packing/packed_constant.h"
#include "kernels/conv_transpose/phases.h"

namespace nestrt::kernels {

struct BlockedPhase {
  Phase axes;
  const float* weights = nullptr;  // [blocks of outputs][blocks of channels][taps][channels of the block][16]

  int64_t taps() const { return axes[0].taps.taps * axes[1].taps.taps * axes[2].taps.taps; }
};

struct BlockedTranspose {
  ConvGeometry geometry;
  Activation activation;
  AxisPhases axis_phases;
  std::vector<BlockedPhase> phases;  // with taps
  AlignedFloats weights;
  AlignedFloats bias;  // padded, or null
  bool has_gaps = false;

  // Returns the number of outputs along an axis in the largest phase.
  int64_t max_outputs(size_t axis) const;
  // If some outputs have no taps, first sets all outputs to the value of an output without taps.
  void fill_gaps(const KernelCall& call) const;
};

// Returns whether all operands are blocked16 and f32, and weights and bias are constant.
bool accepts_blocked_transpose(const OperatorSpec& spec);

// Errors: kInvalidModel, kOutOfMemory.
Result<BlockedTranspose> make_blocked_transpose(const OperatorSpec& spec);

}  // namespace nestrt::kernels
