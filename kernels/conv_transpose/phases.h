// SPDX-License-Identifier: Apache-2.0
// The outputs of a transposed convolution whose positions are equal modulo the stride form a phase. They use the same
// taps, each with a fixed shift between output and input. Within a phase, the operator is therefore a convolution of
// stride 1.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/conv/geometry.h"

namespace nestrt::kernels {

// The taps that the outputs of a phase read: every step-th tap, starting with the first. Output phase + j * stride
// reads input shift + j through the first tap. Each further tap reads an input that is `shift_step` lower.
struct PhaseTaps {
  int64_t taps = 0;
  int64_t shift = 0, shift_step = 0;
  bool operator==(const PhaseTaps&) const = default;

  int64_t source(int64_t output, int64_t tap) const { return shift + output - tap * shift_step; }
};

struct AxisPhase {
  int64_t phase = 0;
  int64_t outputs = 0;
  int64_t first = 0, step = 1;
  PhaseTaps taps;

  int64_t tap(int64_t index) const { return first + index * step; }
};

// Returns the phases that have taps, in order; there are at most as many as taps. Phases without taps are not listed,
// because the number of phases is the stride, which an input file can set to 2^31 - 1.
std::vector<AxisPhase> reached_phases(const ConvAxis& axis);

// One phase per axis: depth, height, width.
using Phase = std::array<AxisPhase, 3>;
using AxisPhases = std::array<std::vector<AxisPhase>, 3>;

AxisPhases reached_phases(const ConvGeometry& geometry);

// Returns whether some outputs have no taps.
bool has_gaps(const ConvGeometry& geometry, const AxisPhases& phases);

// Sets all outputs of a plain tensor to the value of an output without taps.
void fill_gaps(const ConvGeometry& geometry, const ops::Activation& activation, const KernelCall& call);

}  // namespace nestrt::kernels
