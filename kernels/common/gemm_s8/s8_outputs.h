// SPDX-License-Identifier: Apache-2.0
// The epilogue parameters of an s8 convolution or dense layer, in blocks of 16 outputs. They are computed once.
#pragma once

#include "kernels/common/gemm_s8/s8_finish.h"
#include "kernels/common/packing/packed_constant.h"
#include "kernels/common/quantization/s8_operands.h"

namespace nestrt::kernels {

class S8Outputs {
 public:
  S8Outputs() = default;
  // `bias` is null or has one entry per output. Errors: kOutOfMemory.
  static Result<S8Outputs> make(int64_t outputs, const int32_t* bias, const s8::Epilogue& epilogue);

  bool wide() const { return wide_; }
  // Returns the zero point of the input. It fills the padding, and start() must compensate for it.
  int8_t input_zero() const { return static_cast<int8_t>(input_zero_); }
  // Returns the start values of a block's sums: bias and rounding term.
  int32_t* start(int64_t block) { return start_.data() + block * 16; }
  const int32_t* start(int64_t block) const { return start_.data() + block * 16; }
  // Computes finish.blocks blocks of outputs, starting at `first_block`. The caller sets the addresses of sums, outputs
  // and residual; this function sets the rest.
  void run(int64_t first_block, S8Finish& finish) const {
    set(first_block, finish);
    finish_(finish);
  }
  // Sets the parameters without computing outputs.
  void set(int64_t first_block, S8Finish& finish) const;
  // Set the addresses of the output and the residual (or null), offset by `at` elements. The first form uses the call's
  // output 0 and input 3.
  void place(const KernelCall& call, int64_t at, S8Finish& finish) const;
  void place(std::byte* output, const int8_t* residual, int64_t at, S8Finish& finish) const;

 private:
  S8FinishFunction finish_ = nullptr;  // fixed by make(), so that a kernel stays on one instruction set
  AlignedArray<int32_t> start_;
  AlignedArray<int32_t> shift_;
  AlignedFloats scale_;  // for wide outputs and outputs with scales
  bool wide_ = false;
  int32_t input_zero_ = 0;
  int32_t output_zero_ = 0;
  s8::Bounds bounds_;
  s8::AddShifts residual_shifts_;
  s8::Rounding rounding_ = s8::Rounding::kHalfUp;
};

}  // namespace nestrt::kernels
