// Pool: the maximum, average or Lp norm of each window of the input [N, C, spatial...] with one to three spatial axes.
//
// Padding never wins a maximum and adds nothing to a sum. An average divides by the elements of the window that lie in
// the input or, with count_include_pad, in the input or its explicit padding: what ceil_mode adds beyond never counts.
// s8 averages as docs/numerics.md says; the quantization of input and output is equal, but for averages of tensors with
// scales. u8 has the maximum only.
// A window without elements gives the lowest value for max, 0 otherwise. A NaN is never a maximum.
#pragma once

#include <cstdint>

#include "nestrt/driver/kernel.h"

namespace nestrt::kernels {

// The part of one output element's window along one axis that lies in the input.
struct PoolWindow {
  int64_t first = 0;    // input position of the first such element
  int64_t count = 0;    // such elements, `dilation` apart
  int64_t divisor = 0;  // elements that an average divides by
};

// One spatial axis; the default is an axis that the tensor does not have.
struct PoolAxis {
  int64_t input = 1, output = 1;
  int64_t kernel = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0;
  bool include_pad = false;

  int64_t extent() const { return (kernel - 1) * dilation + 1; }
  // The window of the output element at `position`.
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
  PoolAxis axes[3];    // the last ones are the tensor's, the others have one element

  int64_t input_plane() const { return axes[0].input * axes[1].input * axes[2].input; }
  int64_t output_plane() const { return axes[0].output * axes[1].output * axes[2].output; }
};

// Requires: infer has accepted the operator.
PoolParameters pool_parameters(const OperatorSpec& spec);

Result<std::unique_ptr<Kernel>> prepare_pool_reference(const OperatorSpec& spec);

// f32 with 16 channels a vector.
bool accepts_pool_blocked16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_pool_blocked16(const OperatorSpec& spec);
// f32 where the window is the whole input; the output may have any layout, since its channels lie side by side.
bool accepts_pool_global(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_pool_global(const OperatorSpec& spec);

// The same two for s8; a global one may have any window and padding, as long as its output is one pixel.
bool accepts_pool_s8_blocked16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_pool_s8_blocked16(const OperatorSpec& spec);
bool accepts_pool_s8_global(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_pool_s8_global(const OperatorSpec& spec);

}  // namespace nestrt::kernels
