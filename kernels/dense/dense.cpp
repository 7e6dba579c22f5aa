// SPDX-License-Identifier: Apache-2.0
#include "kernels/dense/dense.h"

#include <fmt/core.h>

#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/quantization/s8_operands.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Status check_operands(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 2, 3));
  const ops::Dense& dense = *spec.as<ops::Dense>();
  const bool quantized = spec.inputs[0].type == DataType::kS8;
  if (quantized) NESTRT_RETURN_IF_ERROR(s8::check_product(spec, dense.activation, dense.wide_output));
  for (const TensorSpec& input : spec.inputs) {
    if (!input.present) continue;
    if (!quantized && input.type != DataType::kF32)
      return Status(Code::kUnsupported, fmt::format("an input is {}, only f32 is supported", name(input.type)));
    if (input.layout != Layout::kPlain) return rule_error("every input must have the plain layout");
  }
  for (size_t i : {0, 1})
    if (spec.inputs[i].shape.rank() != 2)
      return rule_error(fmt::format("input {} is {}, expected a matrix", i, spec.inputs[i].shape.to_string()));
  return {};
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const DenseGeometry geometry, dense_geometry(spec));
  const Shape shape{geometry.rows, geometry.outputs};
  if (spec.inputs[0].type == DataType::kF32) return single_output(DataType::kF32, shape);
  if (!spec.outputs.empty()) NESTRT_RETURN_IF_ERROR(s8::dense_epilogue(spec).error());
  return single_output(spec.as<ops::Dense>()->wide_output ? DataType::kF32 : DataType::kS8, shape);
}

uint64_t macs(const OperatorSpec& spec) {
  return static_cast<uint64_t>(spec.outputs[0].shape.num_elements()) * static_cast<uint64_t>(spec.inputs[1].shape[0]);
}

int64_t steps(const OperatorSpec& spec) {
  return element_steps(spec, 1, saturating_sum(kCopySteps, spec.inputs[1].shape[0]));
}

constexpr KernelVariant kKernels[] = {
    {"dense.s8.panel", 10, accepts_dense_s8_panel, prepare_dense_s8_panel, Packing::kS8Panel},
    {"dense.f32.panel16", 10, accepts_dense_panel16, prepare_dense_panel16, Packing::kPanel16},
    {"dense.f32.reference", 0, accepts_dense_reference, prepare_dense_reference},
    {"dense.s8.reference", 0, accepts_dense_s8_reference, prepare_dense_s8_reference},
};

}  // namespace

Result<DenseGeometry> dense_geometry(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(check_operands(spec));
  const Shape& x = spec.inputs[0].shape;
  const Shape& weights = spec.inputs[1].shape;
  if (x[1] != weights[0])
    return rule_error(fmt::format("input {} does not match weights {}: {} columns, but {} rows", x.to_string(),
                                  weights.to_string(), x[1], weights[0]));
  if (spec.has_input(2) && !(spec.inputs[2].shape == Shape{weights[1]}))
    return rule_error(fmt::format("bias is {}, expected {}", spec.inputs[2].shape.to_string(), weights[1]));
  NESTRT_RETURN_IF_ERROR(checked_shape(std::array{x[0], weights[1]}, "the output").error());
  return DenseGeometry{x[0], x[1], weights[1]};
}

template <>
const OperatorRules& rules<ops::Dense>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kDense,
      .infer = infer,
      .macs = macs,
      .steps = steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
