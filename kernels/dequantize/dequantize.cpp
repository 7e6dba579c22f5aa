// SPDX-License-Identifier: Apache-2.0
#include "kernels/dequantize/dequantize.h"

#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/quantization/map_affine.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const TensorSpec& input = spec.inputs[0];
  NESTRT_RETURN_IF_ERROR(s8c::has_scales(input) ? s8c::affine_map_of(input, "the input").error()
                                                : s8::exponent_of(input, "the input").error());
  return single_output(DataType::kF32, input.shape);
}

bool accepts_simd(const OperatorSpec& spec) { return is_stored_s8_map(spec, spec.inputs[0]); }

constexpr KernelVariant kKernels[] = {
    {"dequantize.reference", 0, is_plain, prepare_dequantize_reference},
    {"dequantize.simd", 10, accepts_simd, prepare_dequantize_simd},
};

}  // namespace

template <>
const OperatorRules& rules<ops::Dequantize>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kDequantize,
      .infer = infer,
      .macs = no_macs,
      .steps = copy_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
