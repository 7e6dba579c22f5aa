// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/queries/dependencies.h"

#include <algorithm>

#include "nestrt/data_type.h"
#include "runtime/plan/queries/views.h"

namespace nestrt {

std::vector<uint32_t> branch_of_operators(const plan::Tables& plan) {
  std::vector<uint32_t> branch_of(plan.operators.size());
  const auto& branches = plan.branches;
  for (uint32_t branch = 0; branch < branches.size(); ++branch)
    for (uint32_t op : branches[branch].operators) branch_of[op] = branch;
  return branch_of;
}

bool computes_nothing(const plan::Tables& plan, uint32_t branch) {
  const auto& operators = plan.branches[branch].operators;
  return std::all_of(operators.begin(), operators.end(),
                     [&](uint32_t op) { return is_view(plan, plan.operators[op]); });
}

namespace {

uint64_t bytes_of(const plan::Tables& plan, uint32_t tensor) {
  const plan::Tensor& table = plan.tensors[tensor];
  const int64_t bytes = storage_bytes(table.type, table.shape, table.layout);
  return static_cast<uint64_t>(std::max<int64_t>(bytes, 0));
}

// Merges the entries of each branch, limited to the size of the tensor.
void merge_branches(std::vector<TensorOrigin>& origins, uint64_t limit) {
  std::sort(origins.begin(), origins.end(),
            [](const TensorOrigin& a, const TensorOrigin& b) { return a.branch < b.branch; });
  std::vector<TensorOrigin> merged;
  for (const TensorOrigin& origin : origins) {
    if (merged.empty() || merged.back().branch != origin.branch) merged.push_back({origin.branch, 0});
    merged.back().bytes = std::min(limit, merged.back().bytes + origin.bytes);
  }
  origins = std::move(merged);
}

}  // namespace

std::vector<std::vector<TensorOrigin>> tensor_origins(const plan::Tables& plan) {
  const std::vector<uint32_t> branch_of = branch_of_operators(plan);
  std::vector<std::vector<TensorOrigin>> origins(plan.tensors.size());
  for (uint32_t index = 0; index < branch_of.size(); ++index) {
    const plan::Operator& op = plan.operators[index];
    std::vector<TensorOrigin> viewed;
    const bool views = is_view(plan, op);
    for (int32_t tensor : op.inputs) {
      if (!views || tensor < 0) continue;
      const std::vector<TensorOrigin>& from = origins[static_cast<uint32_t>(tensor)];
      viewed.insert(viewed.end(), from.begin(), from.end());
    }
    for (int32_t tensor : op.outputs) {
      const uint64_t bytes = bytes_of(plan, static_cast<uint32_t>(tensor));
      std::vector<TensorOrigin>& mine = origins[static_cast<uint32_t>(tensor)];
      mine = views ? viewed : std::vector<TensorOrigin>{{branch_of[index], bytes}};
      merge_branches(mine, bytes);
    }
  }
  return origins;
}

Predecessors operator_predecessors(const plan::Tables& plan) {
  PredecessorBuilder builder(plan.operators.size(), plan.tensors.size());
  for (uint32_t index = 0; index < plan.operators.size(); ++index) {
    for (const int32_t tensor : plan.operators[index].inputs) builder.reads(index, tensor);
    for (const int32_t tensor : plan.operators[index].outputs) builder.writes(index, tensor);
  }
  return std::move(builder).take();
}

// Tensors that share bytes are operands of one operator (runtime/plan/queries/views.h), so it is sufficient to compare
// tensors.
Predecessors branch_dependencies(const plan::Tables& plan) {
  const std::vector<uint32_t> branch_of = branch_of_operators(plan);
  const std::vector<std::vector<TensorOrigin>> origins = tensor_origins(plan);
  Predecessors dependencies(plan.branches.size());
  for (uint32_t op = 0; op < branch_of.size(); ++op) {
    std::vector<uint32_t>& before = dependencies[branch_of[op]];
    for (int32_t tensor : plan.operators[op].inputs) {
      if (tensor < 0) continue;
      for (const TensorOrigin& origin : origins[static_cast<uint32_t>(tensor)])
        if (origin.branch != branch_of[op]) before.push_back(origin.branch);
    }
  }
  tidy(dependencies);
  return dependencies;
}

}  // namespace nestrt
