// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/reduce_groups.h"

#include "kernels/reduce/reduce.h"

namespace nestrt::kernels {
namespace {

struct Group {
  bool reduced;
  int64_t count, stride;
};

void append(StridedAxes& axes, const Group& group) {
  const auto at = static_cast<size_t>(axes.rank++);
  axes.dims[at] = group.count;
  axes.strides[at] = group.stride;
}

}  // namespace

ReduceGroups reduce_groups(const OperatorSpec& spec) {
  const Shape& shape = spec.inputs[0].shape;
  const uint32_t mask = reduced_axes(spec);
  std::vector<Group> groups;  // outermost first
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1) continue;
    const Group group{(mask >> axis & 1) != 0, shape[axis], shape.product(axis + 1, shape.rank())};
    if (!groups.empty() && groups.back().reduced == group.reduced)
      groups.back() = {group.reduced, groups.back().count * group.count, group.stride};
    else
      groups.push_back(group);
  }
  ReduceGroups result;
  if (!groups.empty() && !groups.back().reduced) {
    result.width = groups.back().count;
    groups.pop_back();
  }
  if (!groups.empty()) {
    result.rows = groups.back().count;
    groups.pop_back();
  }
  for (const Group& group : groups) append(group.reduced ? result.reduced : result.kept, group);
  return result;
}

}  // namespace nestrt::kernels
