// SPDX-License-Identifier: Apache-2.0
// Conversion between the plan's bytes and those of a program if their order or type differs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "drivers/evta/driver/memory/reblock.h"
#include "drivers/evta/driver/memory/widen.h"

namespace nestrt::evta {

using Conversion = std::variant<Reblocking, Widening>;
using MaybeConversion = std::optional<Conversion>;

// Returns the tensor's bytes in the plan's order that correspond to `there` bytes of the program.
uint64_t host_bytes(const MaybeConversion& conversion, uint64_t there);

// Converts from the tensor to what the program reads. Results of another type, which a program only writes, become
// zero.
void bring_in(const MaybeConversion& conversion, const std::byte* from, std::span<std::byte> to);
// Converts from what the program wrote to the tensor.
void bring_out(const MaybeConversion& conversion, std::span<const std::byte> from, std::byte* to);

}  // namespace nestrt::evta
