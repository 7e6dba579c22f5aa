// SPDX-License-Identifier: Apache-2.0
#include "kernels/matmul/matmul.h"

#include <fmt/core.h>

#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Status check_operands(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 2, 2));
  for (const TensorSpec& input : spec.inputs) {
    if (input.type != DataType::kF32)
      return Status(Code::kUnsupported, fmt::format("an input is {}, only f32 is supported", name(input.type)));
    if (input.layout != Layout::kPlain) return rule_error("every input must have the plain layout");
  }
  return {};
}

// Returns the batch axes, which precede the matrix axes, with leading ones up to `rank` axes.
Shape batch_axes(const Shape& shape, int rank) {
  const int own = std::max(0, shape.rank() - 2);
  Shape batch;
  for (int axis = own; axis < rank; ++axis) batch.push_back(1);
  for (int axis = 0; axis < own; ++axis) batch.push_back(shape[axis]);
  return batch;
}

Status broadcast(const Shape& a, const Shape& b, MatMulGeometry& geometry) {
  const int rank = std::max({0, a.rank() - 2, b.rank() - 2});
  geometry.a_batch = batch_axes(a, rank);
  geometry.b_batch = batch_axes(b, rank);
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t of_a = geometry.a_batch[axis], of_b = geometry.b_batch[axis];
    if (of_a != of_b && of_a != 1 && of_b != 1)
      return rule_error(fmt::format("inputs {} and {} do not broadcast: dimensions {} and {} differ", a.to_string(),
                                    b.to_string(), of_a, of_b));
    geometry.batch.push_back(of_a == 1 ? of_b : of_a);
  }
  return {};
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const MatMulGeometry geometry, matmul_geometry(spec));
  return single_output(DataType::kF32, geometry.output);
}

int64_t inner_length(const OperatorSpec& spec) {
  const Shape& a = spec.inputs[0].shape;
  return a[a.rank() - 1];
}

uint64_t macs(const OperatorSpec& spec) {
  return static_cast<uint64_t>(spec.outputs[0].shape.num_elements()) * static_cast<uint64_t>(inner_length(spec));
}

int64_t steps(const OperatorSpec& spec) {
  return element_steps(spec, 1, saturating_sum(kCopySteps, inner_length(spec)));
}

constexpr KernelVariant kKernels[] = {
    {"matmul.f32.panel16", 10, is_plain, prepare_matmul_panel16},
    {"matmul.f32.reference", 0, is_plain, prepare_matmul_reference},
};

}  // namespace

int64_t MatMulGeometry::operand_index(const Shape& operand, int64_t index) const {
  int64_t result = 0, stride = 1;
  for (int axis = batch.rank() - 1; axis >= 0; --axis) {
    const int64_t coordinate = index % batch[axis];
    index /= batch[axis];
    if (operand[axis] != 1) result += coordinate * stride;
    stride *= operand[axis];
  }
  return result;
}

Result<MatMulGeometry> matmul_geometry(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(check_operands(spec));
  return matmul_geometry(spec.inputs[0].shape, spec.inputs[1].shape);
}

Result<MatMulGeometry> matmul_geometry(const Shape& a, const Shape& b) {
  if (a.rank() < 1 || b.rank() < 1) return rule_error("an input is a scalar, expected a vector or matrices");
  MatMulGeometry geometry;
  geometry.rows = a.rank() == 1 ? 1 : a[a.rank() - 2];
  geometry.inner = a[a.rank() - 1];
  geometry.columns = b.rank() == 1 ? 1 : b[b.rank() - 1];
  const int64_t b_inner = b.rank() == 1 ? b[0] : b[b.rank() - 2];
  if (geometry.inner != b_inner)
    return rule_error(fmt::format("inputs {} and {} do not match: {} columns, but {} rows", a.to_string(),
                                  b.to_string(), geometry.inner, b_inner));
  NESTRT_RETURN_IF_ERROR(broadcast(a, b, geometry));
  Shape output = geometry.batch;
  if (a.rank() > 1) output.push_back(geometry.rows);
  if (b.rank() > 1) output.push_back(geometry.columns);
  NESTRT_ASSIGN_OR_RETURN(geometry.output, checked_shape(output.dims(), "the output"));
  return geometry;
}

template <>
const OperatorRules& rules<ops::MatMul>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kMatMul,
      .infer = infer,
      .macs = macs,
      .steps = steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
