// How much memory a constant takes in each packing of plan.fbs. kernels/common/packing.h defines the order of the
// elements; this rule is here because the verifier needs it.
#pragma once

#include <cstdint>
#include <optional>

#include "nestrt/data_type.h"
#include "nestrt/plan_generated.h"
#include "nestrt/shape.h"

namespace nestrt {

// The type of the elements that a packing orders. Meaningless for `none`.
DataType packed_type(plan::Packing packing);

// Bytes of a constant of packed_type() and the logical `shape`, zero padding included. Empty where the packing does not
// apply to the shape, the size overflows, or for `none`, whose size is storage_bytes().
std::optional<int64_t> packed_size_bytes(plan::Packing packing, const Shape& shape);

}  // namespace nestrt
