// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/quantization/map_affine.h"
#include "kernels/dequantize/dequantize.h"

namespace nestrt::kernels {
namespace {

template <typename T>
Result<std::unique_ptr<Kernel>> from_scales(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(s8c::AffineMap map, s8c::affine_map_of(spec.inputs[0], "the input"));
  return map_affine<T, float>(stored_elements(spec.inputs[0]), std::move(map), s8c::dequantize);
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_dequantize_reference(const OperatorSpec& spec) {
  const TensorSpec& input = spec.inputs[0];
  if (input.type == DataType::kU8) return from_scales<uint8_t>(spec);
  if (input.type == DataType::kS32) return from_scales<int32_t>(spec);
  if (s8c::has_scales(input)) return from_scales<int8_t>(spec);
  NESTRT_ASSIGN_OR_RETURN(const int exponent, s8::exponent_of(input, "the input"));
  return map_elements<int8_t, float>(stored_elements(input),
                                     [exponent](int8_t q) { return s8::dequantize(q, exponent); });
}

}  // namespace nestrt::kernels
