// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/quantization/map_affine.h"
#include "kernels/quantize/quantize.h"

namespace nestrt::kernels {
namespace {

template <typename T>
Result<std::unique_ptr<Kernel>> to_scales(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(s8c::AffineMap map, s8c::affine_map_of(spec.outputs[0], "the output"));
  return map_affine<float, T>(stored_elements(spec.inputs[0]), std::move(map), s8c::quantize<T>);
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_quantize_reference(const OperatorSpec& spec) {
  if (s8c::has_scales(spec.outputs[0]))
    return spec.outputs[0].type == DataType::kU8 ? to_scales<uint8_t>(spec) : to_scales<int8_t>(spec);
  NESTRT_ASSIGN_OR_RETURN(const int exponent, s8::exponent_of(spec.outputs[0], "the output"));
  return map_elements<float, int8_t>(stored_elements(spec.inputs[0]),
                                     [exponent, rounding = spec.as<ops::Quantize>()->rounding](float x) {
                                       return s8::quantize(x, exponent, rounding);
                                     });
}

}  // namespace nestrt::kernels
