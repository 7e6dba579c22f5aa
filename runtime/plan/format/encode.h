// From plain structs to the FlatBuffers tables of a file: the counterpart of decode.h, for the compiler and for tests.
// No part of libnestrt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nestrt/driver/plan_tables.h"

namespace nestrt {

// Equal tables give equal bytes.
std::vector<std::byte> encode_tables(const plan::Tables& tables);

// The oldest minor version that has all that is in the tables.
uint16_t minor_version_of(const plan::Tables& tables);

}  // namespace nestrt
