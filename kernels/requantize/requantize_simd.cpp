// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/common/framework/map_elements.h"
#include "kernels/common/quantization/s8_operands.h"
#include "kernels/requantize/requantize.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/requantize/requantize_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/quantization/s8_vectors-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {

void requantize_elements(const s8::AddShifts& shifts, ops::Rounding rounding, s8::Bounds bounds, const int8_t* x,
                         int8_t* y, int64_t count) {
  const auto requantize_all = [&](const auto& add) HWY_ATTR {
    const auto requantize_block = [&](int8_t* to, const int8_t* from) HWY_ATTR {
      for (int64_t i = 0; i < kBlock; i += kLanes) store_s8(add(load_s8(from + i), hn::Zero(D32())), bounds, to + i);
    };
    map_blocks(count, requantize_block, y, x);
  };
  if (rounding == ops::Rounding::kHalfEven) return requantize_all(AddS8<true>(shifts, rounding));
  requantize_all(AddS8<false>(shifts, rounding));
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(requantize_elements)

// Requantizes like an addition of zero. A left shift by 8 moves every value except 0 beyond the limits of s8, so larger
// shifts are not needed.
Result<std::unique_ptr<Kernel>> prepare_requantize_simd(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const int from, s8::exponent_of(spec.inputs[0], "the input"));
  NESTRT_ASSIGN_OR_RETURN(const int to, s8::exponent_of(spec.outputs[0], "the output"));
  const s8::AddShifts shifts{std::clamp(to - from, 0, 8), 0, std::clamp(from - to, 0, s8::kMaxShift)};
  const ops::Requantize& attributes = *spec.as<ops::Requantize>();
  const s8::Bounds bounds = s8::activation_bounds(attributes.activation, to, attributes.rounding);
  return map_ranges<int8_t, int8_t>(
      stored_elements(spec.inputs[0]),
      [shifts, rounding = attributes.rounding, bounds, run = simd_pick(requantize_elements_table)](auto... operands) {
        run(shifts, rounding, bounds, operands...);
      });
}

}  // namespace nestrt::kernels
#endif
