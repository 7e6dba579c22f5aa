// SPDX-License-Identifier: Apache-2.0
#include "kernels/reorder/reorder.h"

#include <fmt/core.h>

#include <algorithm>

#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/layout/image_fold.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const TensorSpec& input = spec.inputs[0];
  if (input.shape.rank() < 2)
    return rule_error(
        fmt::format("the input has shape {}, expected at least batch and channels", input.shape.to_string()));
  return single_output(input.type, input.shape);
}

bool accepts_reference(const OperatorSpec& spec) { return spec.inputs[0].packing == Packing::kNone; }

bool accepts_to_blocked(const OperatorSpec& spec) {
  const Layout to = spec.outputs[0].layout;
  return accepts_reference(spec) && spec.inputs[0].layout == Layout::kPlain && to != Layout::kPlain && !is_folded(to);
}

bool accepts_to_folded(const OperatorSpec& spec) {
  return accepts_reference(spec) && spec.inputs[0].layout == Layout::kPlain && ImageFold::accepts(spec.outputs[0]);
}

bool accepts_to_plain(const OperatorSpec& spec) {
  const Layout from = spec.inputs[0].layout;
  return accepts_reference(spec) && from != Layout::kPlain && !is_folded(from) &&
         spec.outputs[0].layout == Layout::kPlain;
}

constexpr KernelVariant kKernels[] = {
    {"reorder.reference", 0, accepts_reference, prepare_reorder_reference},
    {"reorder.to_folded", 20, accepts_to_folded, prepare_reorder_to_folded},
    {"reorder.to_blocked", 10, accepts_to_blocked, prepare_reorder_to_blocked},
    {"reorder.to_plain", 10, accepts_to_plain, prepare_reorder_to_plain},
};

}  // namespace

template <>
const OperatorRules& rules<ops::Reorder>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kReorder,
      .infer = infer,
      .macs = no_macs,
      .steps = copy_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
