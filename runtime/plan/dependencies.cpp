#include "runtime/plan/dependencies.h"

#include <algorithm>

#include "runtime/plan/tables.h"

namespace nestrt {

std::vector<uint32_t> branch_of_operators(const plan::Plan& plan) {
  std::vector<uint32_t> branch_of(items(plan.operators()).size());
  const auto& branches = items(plan.branches());
  for (uint32_t branch = 0; branch < branches.size(); ++branch)
    for (uint32_t op : items(branches[branch]->operators())) branch_of[op] = branch;
  return branch_of;
}

// Tensors that share bytes are operands of one operator (runtime/plan/sharing.h), so tensors tell all.
std::vector<std::vector<uint32_t>> branch_dependencies(const plan::Plan& plan) {
  constexpr uint32_t kNone = UINT32_MAX;
  const std::vector<uint32_t> branch_of = branch_of_operators(plan);
  std::vector<uint32_t> producer(items(plan.tensors()).size(), kNone);
  std::vector<std::vector<uint32_t>> dependencies(items(plan.branches()).size());
  for (uint32_t op = 0; op < branch_of.size(); ++op) {
    for (int32_t tensor : items(items(plan.operators())[op]->inputs())) {
      const uint32_t before = tensor < 0 ? kNone : producer[static_cast<uint32_t>(tensor)];
      if (before != kNone && before != branch_of[op]) dependencies[branch_of[op]].push_back(before);
    }
    for (int32_t tensor : items(items(plan.operators())[op]->outputs()))
      producer[static_cast<uint32_t>(tensor)] = branch_of[op];
  }
  for (std::vector<uint32_t>& before : dependencies) {
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
  }
  return dependencies;
}

}  // namespace nestrt
