// SPDX-License-Identifier: Apache-2.0
// Encodes plain structs as the FlatBuffers tables of a file: the counterpart of decode.h, for the compiler and for
// tests. Not part of libnestrt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nestrt/driver/plan_tables.h"

namespace nestrt {

// Encodes tables. Equal tables produce equal bytes.
std::vector<std::byte> encode_tables(const plan::Tables& tables);

// Returns the oldest minor version that supports all features used in the tables.
uint16_t minor_version_of(const plan::Tables& tables);

}  // namespace nestrt
