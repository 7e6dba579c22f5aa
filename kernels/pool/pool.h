// SPDX-License-Identifier: Apache-2.0
// Pool: the maximum, average or Lp norm over windows of an input [N, C, spatial...] with one to three spatial axes.
//
// Padding is never the maximum and adds nothing to a sum. An average divides by the number of window elements inside
// the input or, with count_include_pad, inside the input or its explicit padding. Elements added by ceil_mode are never
// counted. s8 averages follow docs/concepts/numerics.md. Input and output have the same quantization, except for
// averages of tensors with scales. u8 supports only the maximum. A window without elements gives the lowest value for
// max, otherwise 0. NaN is never the maximum.
#pragma once

#include <cstdint>

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// For one output element and one axis: the part of its window that is inside the input.
struct PoolWindow {
  int64_t first = 0;    // input position of the first element inside
  int64_t count = 0;    // number of elements inside, `dilation` apart
  int64_t divisor = 0;  // contribution to the divisor of an average
};

// One spatial axis. The default represents an axis that the tensor does not have.
struct PoolAxis {
  int64_t input = 1, output = 1;
  int64_t kernel = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0;
  bool include_pad = false;

  int64_t extent() const { return (kernel - 1) * dilation + 1; }
  // Returns the window of the output element at `position`.
  PoolWindow window(int64_t position) const {
    const int64_t start = position * stride - pad_begin;
    if (start >= 0 && start + extent() <= input) return {start, kernel, kernel};
    return edge_window(start);
  }

 private:
  PoolWindow edge_window(int64_t start) const;
};

struct PoolParameters {
  ops::PoolKind kind = ops::PoolKind::kMax;
  int32_t p = 2;
  int64_t planes = 0;  // batch x channels
  PoolAxis axes[3];    // the last ones belong to the tensor; the others have one element

  int64_t input_plane() const { return axes[0].input * axes[1].input * axes[2].input; }
  int64_t output_plane() const { return axes[0].output * axes[1].output * axes[2].output; }
};

// Requires: infer has accepted the operator.
PoolParameters pool_parameters(const OperatorSpec& spec);

Result<std::unique_ptr<Kernel>> prepare_pool_reference(const OperatorSpec& spec);

// Supports f32 tensors in blocked16.
bool accepts_pool_blocked16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_pool_blocked16(const OperatorSpec& spec);
// Supports f32 if the window covers the whole input. The output may have any layout, because its channels are adjacent.
bool accepts_pool_global(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_pool_global(const OperatorSpec& spec);

// Support the same cases for s8. A global pool may have any window and padding if its output is a single pixel.
bool accepts_pool_s8_blocked16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_pool_s8_blocked16(const OperatorSpec& spec);
bool accepts_pool_s8_global(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_pool_s8_global(const OperatorSpec& spec);

}  // namespace nestrt::kernels
