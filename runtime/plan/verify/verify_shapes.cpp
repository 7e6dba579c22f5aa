// SPDX-License-Identifier: Apache-2.0
// Shapes: all of them describe the same network for different inputs.
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <vector>

#include "runtime/plan/format/format.h"
#include "runtime/plan/verify/verify_parts.h"

namespace nestrt::plan_verify {
namespace {

std::vector<uint32_t> input_tensors(const plan::Tables& plan) {
  std::vector<uint32_t> tensors;
  for (const plan::Input& input : plan.inputs) tensors.push_back(input.tensor);
  return tensors;
}

// Compares everything except dimensions.
bool are_alike(const plan::Tables& first, const std::vector<uint32_t>& of_first, const plan::Tables& other,
               const std::vector<uint32_t>& of_other) {
  return std::ranges::equal(of_first, of_other, [&](uint32_t a, uint32_t b) {
    const plan::Tensor &one = first.tensors[a], &two = other.tensors[b];
    return one.name == two.name && one.type == two.type && one.shape.rank() == two.shape.rank();
  });
}

std::vector<std::vector<int64_t>> input_shapes(const plan::Tables& plan) {
  std::vector<std::vector<int64_t>> shapes;
  for (const uint32_t tensor : input_tensors(plan)) {
    const Shape& shape = plan.tensors[tensor].shape;
    shapes.emplace_back(shape.begin(), shape.end());
  }
  return shapes;
}

}  // namespace

Status verify_shapes(const plan::Tables& plan) {
  if (plan.shapes.size() > plan_format::kMaxShapes)
    return damaged_plan(fmt::format("the plan has {} shapes in addition to the first, more than {}", plan.shapes.size(),
                                    plan_format::kMaxShapes));
  std::set<std::vector<std::vector<int64_t>>> known = {input_shapes(plan)};
  for (uint32_t index = 0; index < plan.shapes.size(); ++index) {
    const plan::Tables& other = plan.shapes[index];
    if (!are_alike(plan, input_tensors(plan), other, input_tensors(other)) ||
        !are_alike(plan, plan.outputs, other, other.outputs))
      return damaged_plan(fmt::format("shape {}: inputs and outputs do not match the first shape", index + 1));
    if (!known.insert(input_shapes(other)).second)
      return damaged_plan(fmt::format("shape {}: has the same inputs as another shape", index + 1));
  }
  return {};
}

}  // namespace nestrt::plan_verify
