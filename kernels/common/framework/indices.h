// SPDX-License-Identifier: Apache-2.0
// Index tensors of the gather operators: checks and clamping.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernels/common/framework/rules.h"

namespace nestrt::kernels {

// Checks that indices are s32 or s64 and that the indexed axis is not empty.
inline Status check_indices(const TensorSpec& indices, int64_t dim) {
  if (indices.type != DataType::kS32 && indices.type != DataType::kS64)
    return rule_error(fmt::format("indices are {}, expected s32 or s64", name(indices.type)));
  if (dim == 0 && indices.shape.num_elements() > 0) return rule_error("the indexed axis has 0 elements");
  return ok_status();
}

// Returns indices[position] as a position on an axis of `dim` elements. Negative values count from the end;
// out-of-range values are clamped, so no data can cause an out-of-bounds access.
inline int64_t index_at(const std::byte* indices, DataType type, int64_t position, int64_t dim) {
  const int64_t index = type == DataType::kS64 ? reinterpret_cast<const int64_t*>(indices)[position]
                                               : reinterpret_cast<const int32_t*>(indices)[position];
  const int64_t from_start = index < 0 ? index + dim : index;
  const int64_t raised = from_start < 0 ? 0 : from_start;
  return raised < dim ? raised : dim - 1;
}

}  // namespace nestrt::kernels
