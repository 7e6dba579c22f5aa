// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/layout/broadcast.h"

#include <fmt/core.h>

#include <string>

#include "kernels/common/framework/rules.h"

namespace nestrt::kernels {

Result<Shape> broadcast_shapes(std::span<const Shape* const> shapes) {
  int rank = 0;
  for (const Shape* shape : shapes) rank = std::max(rank, shape->rank());
  std::array<int64_t, Shape::kMaxRank> dims;
  dims.fill(1);
  for (const Shape* shape : shapes) {
    for (int axis = 0; axis < shape->rank(); ++axis) {
      int64_t& dim = dims[static_cast<size_t>(rank - shape->rank() + axis)];
      const int64_t own = (*shape)[axis];
      if (own == 1 || own == dim) continue;
      if (dim == 1) {
        dim = own;
        continue;
      }
      std::string all;
      for (const Shape* each : shapes) all += fmt::format("{}{}", all.empty() ? "" : " and ", each->to_string());
      return rule_error(fmt::format("inputs of shapes {} do not broadcast: dimensions must be equal or 1", all));
    }
  }
  return checked_shape(std::span<const int64_t>(dims.data(), static_cast<size_t>(rank)), "the broadcast shape");
}

}  // namespace nestrt::kernels
