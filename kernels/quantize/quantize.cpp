// SPDX-License-Identifier: Apache-2.0
#include "kernels/quantize/quantize.h"

#include <fmt/core.h>

#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/layout/image_fold.h"
#include "kernels/common/math/channel_division.h"
#include "kernels/common/quantization/map_affine.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Status check_output(const TensorSpec& output) {
  if (s8c::has_scales(output)) return s8c::affine_map_of(output, "the output").error();
  return s8::exponent_of(output, "the output").error();
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[0], DataType::kF32, "the input"));
  const DataType type = spec.as<ops::Quantize>()->to;
  if (type != DataType::kS8 && type != DataType::kU8)
    return rule_error(fmt::format("the output is {}, expected s8 or u8", name(type)));
  if (!spec.outputs.empty()) NESTRT_RETURN_IF_ERROR(check_output(spec.outputs[0]));
  return single_output(type, spec.inputs[0].shape);
}

bool accepts_simd(const OperatorSpec& spec) { return is_stored_s8_map(spec, spec.outputs[0]); }

bool accepts_folded(const OperatorSpec& spec) {
  const TensorSpec &input = spec.inputs[0], &output = spec.outputs[0];
  return input.layout == Layout::kPlain && input.packing == Packing::kNone && ImageFold::accepts(output) &&
         has_exponents(output) && output.quantization->axis == -1;
}

constexpr KernelVariant kKernels[] = {
    {"quantize.reference", 0, is_plain, prepare_quantize_reference},
    {"quantize.simd", 10, accepts_simd, prepare_quantize_simd},
    {"quantize.folded", 10, accepts_folded, prepare_quantize_folded},
};

}  // namespace

template <>
const OperatorRules& rules<ops::Quantize>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kQuantize,
      .infer = infer,
      .macs = no_macs,
      .steps = copy_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
