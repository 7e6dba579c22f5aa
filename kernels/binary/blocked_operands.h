// SPDX-License-Identifier: Apache-2.0
// The operands of a Binary with a blocked output. Each is one of: a tensor with the shape and layout of the output; a
// blocked tensor with one pixel ([N or 1, C, 1...]: squeeze and excitation); a plain constant with one value per
// channel; a single element.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/math/integers.h"
#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// Returns whether both operands are supported. Requires: a blocked output.
bool has_blocked_operands(const OperatorSpec& spec);

// Adjacent pixels of one block of channels. Per pixel, a and b advance by step_a and step_b: 0 or `block` elements.
template <typename T>
struct BlockedRun {
  const T* a;
  int64_t step_a;
  const T* b;
  int64_t step_b;
  T* y;
  int64_t pixels, block;
};

// The steps between images, blocks and pixels of an operand.
struct BlockedSteps {
  bool is_scalar = false;
  bool is_channels = false;  // a plain constant with one value per channel
  int64_t image = 0;
  int64_t block = 0;
  int64_t pixel = 0;
};

// Requires: has_blocked_operands().
BlockedSteps blocked_steps(const TensorSpec& operand, const TensorSpec& output);

template <typename T>
class BlockedOperands {
 public:
  // Requires: has_blocked_operands().
  explicit BlockedOperands(const OperatorSpec& spec)
      : a_(spec.inputs[0], spec.outputs[0]), b_(spec.inputs[1], spec.outputs[0]) {
    const TensorSpec& output = spec.outputs[0];
    block_ = block_size(output.layout);
    blocks_ = ceil_div(output.shape[1], block_);
    spatial_ = output.shape.product(2, output.shape.rank());
    pixels_ = output.shape[0] * blocks_ * spatial_;
  }

  // Calls run(BlockedRun) for runs that cover the output.
  template <typename Run>
  void for_each_run(const KernelCall& call, const Run& run) const {
    Lanes lanes_a, lanes_b;
    const T* const a = a_.data(call.input<T>(0), lanes_a);
    const T* const b = b_.data(call.input<T>(1), lanes_b);
    T* const y = call.output<T>(0);
    parallel_ranges(*call.parallel, pixels_, block_, [&](int64_t first, int64_t last) {
      while (first < last) {
        const int64_t plane = first / spatial_, pixel = first % spatial_;
        const int64_t pixels = std::min(spatial_ - pixel, last - first);
        run(BlockedRun<T>{a + offset(a_, plane, pixel), a_.steps.pixel, b + offset(b_, plane, pixel), b_.steps.pixel,
                          y + first * block_, pixels, block_});
        first += pixels;
      }
    });
  }

 private:
  static constexpr int64_t kLargestBlock = 32;
  using Lanes = std::array<T, kLargestBlock>;

  struct Operand {
    Operand(const TensorSpec& operand, const TensorSpec& output) : steps(blocked_steps(operand, output)) {
      if (!steps.is_channels) return;
      const T* const values = reinterpret_cast<const T*>(operand.constant);
      packed.assign(values, values + output.shape[1]);
      packed.resize(static_cast<size_t>(round_up(output.shape[1], block_size(output.layout))), T{1});
    }

    // Returns the operand's values. A scalar is copied to all of `lanes`.
    const T* data(const T* input, Lanes& lanes) const {
      if (steps.is_channels) return packed.data();
      if (!steps.is_scalar) return input;
      lanes.fill(*input);
      return lanes.data();
    }

    BlockedSteps steps;
    std::vector<T> packed;  // is_channels: padded to whole blocks
  };

  int64_t offset(const Operand& operand, int64_t plane, int64_t pixel) const {
    return plane / blocks_ * operand.steps.image + plane % blocks_ * operand.steps.block + pixel * operand.steps.pixel;
  }

  Operand a_, b_;
  int64_t pixels_ = 0, blocks_ = 0, spatial_ = 0, block_ = 0;
};

}  // namespace nestrt::kernels
