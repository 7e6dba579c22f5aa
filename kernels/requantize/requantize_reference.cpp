// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "kernels/common/framework/map_elements.h"
#include "kernels/common/quantization/s8c_operands.h"
#include "kernels/requantize/requantize.h"

namespace nestrt::kernels {
namespace {

// With scales an element has 256 values, so a table of 256 results suffices.
template <typename In, typename Out>
Result<std::unique_ptr<Kernel>> between_scales(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const s8c::Affine from, s8c::affine_of(spec.inputs[0], "the input"));
  NESTRT_ASSIGN_OR_RETURN(const s8c::Affine to, s8c::affine_of(spec.outputs[0], "the output"));
  const Activation activation = spec.as<ops::Requantize>()->activation;
  std::array<Out, 256> results;
  for (int i = 0; i < 256; ++i)
    results[static_cast<size_t>(i)] =
        s8c::quantize<Out>(apply_activation(activation, s8c::dequantize(static_cast<In>(i), from)), to);
  return map_elements<In, Out>(stored_elements(spec.inputs[0]),
                               [results](In q) { return results[static_cast<uint8_t>(q)]; });
}

template <typename In>
Result<std::unique_ptr<Kernel>> from_scales(const OperatorSpec& spec) {
  return spec.outputs[0].type == DataType::kU8 ? between_scales<In, uint8_t>(spec) : between_scales<In, int8_t>(spec);
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_requantize_reference(const OperatorSpec& spec) {
  if (spec.inputs[0].type == DataType::kU8) return from_scales<uint8_t>(spec);
  if (s8c::has_scales(spec.inputs[0])) return from_scales<int8_t>(spec);
  NESTRT_ASSIGN_OR_RETURN(const int from, s8::exponent_of(spec.inputs[0], "the input"));
  NESTRT_ASSIGN_OR_RETURN(const int to, s8::exponent_of(spec.outputs[0], "the output"));
  return map_elements<int8_t, int8_t>(stored_elements(spec.inputs[0]),
                                      [from, to, rounding = spec.as<ops::Requantize>()->rounding](int8_t q) {
                                        return s8::requantize(q, from, to, rounding);
                                      });
}

}  // namespace nestrt::kernels
