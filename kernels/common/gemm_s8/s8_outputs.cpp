// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/gemm_s8/s8_outputs.h"

#include <fmt/core.h>

#include <cmath>
#include <string>

namespace nestrt::kernels {

Result<S8Outputs> S8Outputs::make(int64_t outputs, const int32_t* bias, const s8::Epilogue& epilogue) {
  S8Outputs result;
  const int64_t padded = (outputs + 15) / 16 * 16;
  const bool shifts = !epilogue.wide && !epilogue.scaled();
  result.start_ = AlignedArray<int32_t>(padded);
  result.shift_ = AlignedArray<int32_t>(padded);
  if (!shifts) result.scale_ = AlignedFloats(padded);
  if (result.start_.data() == nullptr || result.shift_.data() == nullptr || (result.scale_.data() == nullptr) != shifts)
    return Status(Code::kOutOfMemory, fmt::format("no memory for the scales of {} outputs", outputs));
  for (int64_t i = 0; i < outputs; ++i) {
    const auto channel = static_cast<size_t>(i);
    const int shift = shifts ? epilogue.shifts[channel] : 0;
    if (!shifts)
      result.scale_.data()[i] =
          epilogue.scaled() ? epilogue.multipliers[channel] : std::ldexp(1.0f, -epilogue.exponents[channel]);
    result.shift_.data()[i] = shift;
    result.start_.data()[i] =
        s8::wrapping_add(bias == nullptr ? 0 : bias[i], s8::rounding_term(shift, epilogue.rounding));
  }
  result.finish_ = s8_finish_function();
  result.wide_ = epilogue.wide;
  result.input_zero_ = epilogue.input_zero;
  result.output_zero_ = epilogue.output_zero;
  result.bounds_ = epilogue.bounds;
  result.residual_shifts_ = epilogue.residual_shifts;
  result.rounding_ = epilogue.rounding;
  return result;
}

void S8Outputs::set(int64_t first_block, S8Finish& finish) const {
  finish.shift = shift_.data() + first_block * 16;
  finish.scale = scale_.data() == nullptr ? nullptr : scale_.data() + first_block * 16;
  finish.output_zero = output_zero_;
  finish.bounds = bounds_;
  finish.add = residual_shifts_;
  finish.rounding = rounding_;
}

void S8Outputs::place(const KernelCall& call, int64_t at, S8Finish& finish) const {
  place(call.outputs[0], call.inputs.size() > 3 ? call.input<int8_t>(3) : nullptr, at, finish);
}

void S8Outputs::place(std::byte* output, const int8_t* residual, int64_t at, S8Finish& finish) const {
  finish.residual = residual == nullptr ? nullptr : residual + at;
  if (wide())
    finish.wide = reinterpret_cast<float*>(output) + at;
  else
    finish.output = reinterpret_cast<int8_t*>(output) + at;
}

}  // namespace nestrt::kernels
