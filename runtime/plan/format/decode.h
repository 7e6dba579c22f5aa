// From the FlatBuffers tables of a file to plain structs. Here FlatBuffers end: nothing else in the runtime reads them.
#pragma once

#include <cstddef>
#include <span>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/result.h"

namespace nestrt {

// Proves that every offset in `tables` stays inside it, and copies them. Enumerations have values that exist; nothing
// else has been checked: indices, sizes and shapes are as the file has them, but a shape has at most Shape::kMaxRank
// dimensions.
// Time and memory are linear in the bytes: tables that share vectors, strings or other tables, which nestc never
// writes, are refused once what they refer to exceeds what they can hold.
// Errors: kInvalidPlan.
Result<plan::Tables> decode_tables(std::span<const std::byte> tables);

}  // namespace nestrt
