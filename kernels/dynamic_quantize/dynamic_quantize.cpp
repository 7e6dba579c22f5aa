// SPDX-License-Identifier: Apache-2.0
// DynamicQuantize: quantizes f32 to u8 with parameters computed from the data. See ops::DynamicQuantize for the
// definition.
//
// Variants (plain layout): dynamic_quantize.reference, dynamic_quantize.simd
#include <array>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/quantization/quantize_rows.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[0], DataType::kF32, "the input"));
  std::vector<TensorSpec> outputs = single_output(DataType::kU8, spec.inputs[0].shape);
  outputs.push_back(single_output(DataType::kF32, Shape())[0]);
  outputs.push_back(single_output(DataType::kU8, Shape())[0]);
  return outputs;
}

void write_parameters(const KernelCall& call, const s8c::Affine& parameters) {
  *call.output<float>(1) = parameters.scale;
  *call.output<uint8_t>(2) = static_cast<uint8_t>(parameters.zero_point);
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  return make_kernel([count = spec.inputs[0].shape.num_elements()](const KernelCall& call) {
    const float* const x = call.input<float>(0);
    Extremes extremes;
    for (int64_t i = 0; i < count; ++i)
      if (x[i] == x[i]) extremes.add({x[i], x[i]});
    const s8c::Affine parameters = dynamic_parameters(extremes);
    for (int64_t i = 0; i < count; ++i) call.output<uint8_t>(0)[i] = s8c::quantize<uint8_t>(x[i], parameters);
    write_parameters(call, parameters);
  });
}

// Returns the extremes of the whole tensor. Each thread finds the extremes of a part, because their order does not
// matter.
Extremes parallel_extremes(const KernelCall& call, int64_t count, const QuantizeRows& rows) {
  std::array<Extremes, 64> found{};
  const int64_t parts = std::min<int64_t>(range_count(*call.parallel, count), std::ssize(found));
  call.parallel->parallel_for(parts, [&](int64_t index, int) {
    const Range part = part_of(count, index, parts);
    found[static_cast<size_t>(index)] = rows.extremes(call.input<float>(0) + part.first, part.size());
  });
  for (const Extremes& extremes : found) found[0].add(extremes);
  return found[0];
}

Result<std::unique_ptr<Kernel>> prepare_simd(const OperatorSpec& spec) {
  return make_kernel([count = spec.inputs[0].shape.num_elements(), rows = quantize_rows()](const KernelCall& call) {
    const s8c::Affine parameters = dynamic_parameters(parallel_extremes(call, count, rows));
    parallel_ranges(*call.parallel, count, 1, [&, to = in_s8(parameters)](int64_t first, int64_t last) {
      rows.quantize_u8(to, call.input<float>(0) + first, call.output<uint8_t>(0) + first, last - first);
    });
    write_parameters(call, parameters);
  });
}

constexpr KernelVariant kKernels[] = {
    {"dynamic_quantize.reference", 0, is_plain, prepare_reference},
    {"dynamic_quantize.simd", 10, is_plain, prepare_simd},
};

int64_t steps(const OperatorSpec& spec) { return element_steps(spec, kFunctionSteps, kCopySteps); }

}  // namespace

template <>
const OperatorRules& rules<ops::DynamicQuantize>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kDynamicQuantize,
      .infer = infer,
      .macs = no_macs,
      .steps = steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
