// SPDX-License-Identifier: Apache-2.0
// Decodes the FlatBuffers tables of a file into plain structs. Nothing else in the runtime reads FlatBuffers.
#pragma once

#include <cstddef>
#include <span>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/result.h"

namespace nestrt {

// Verifies that every offset in `tables` stays within it, and copies the tables. Enumerations are valid and shapes have
// at most Shape::kMaxRank dimensions; indices, sizes and shapes are otherwise unchecked.
// Time and memory are linear in the bytes. Tables that share vectors, strings or other tables, which nestc never
// writes, are rejected once the shared content exceeds the size of the tables.
// Errors: kInvalidPlan.
Result<plan::Tables> decode_tables(std::span<const std::byte> tables);

}  // namespace nestrt
