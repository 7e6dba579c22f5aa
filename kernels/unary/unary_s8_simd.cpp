// SPDX-License-Identifier: Apache-2.0
// Vectorized relu and clip of s8 tensors.
#include "kernels/common/framework/map_elements.h"
#include "kernels/common/quantization/s8_operands.h"
#include "kernels/unary/unary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/unary/unary_s8_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/quantization/s8_vectors-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {

void limit_elements(s8::Bounds bounds, const int8_t* x, int8_t* y, int64_t count) {
  const auto limit_block = [&](int8_t* to, const int8_t* from) HWY_ATTR {
    for (int64_t i = 0; i < kBlock; i += kLanes) store_s8(hn::LoadU(D8(), from + i), bounds, to + i);
  };
  map_blocks(count, limit_block, y, x);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(limit_elements)

bool accepts_unary_s8_bounds(const OperatorSpec& spec) {
  const TensorSpec& input = spec.inputs[0];
  return input.type == DataType::kS8 && input.quantization != nullptr && is_stored_map(spec);
}

Result<std::unique_ptr<Kernel>> prepare_unary_s8_bounds(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const s8::Bounds bounds, unary_s8_bounds(spec));
  return map_ranges<int8_t, int8_t>(
      stored_elements(spec.inputs[0]),
      [bounds, run = simd_pick(limit_elements_table)](auto... operands) { run(bounds, operands...); });
}

}  // namespace nestrt::kernels
#endif
