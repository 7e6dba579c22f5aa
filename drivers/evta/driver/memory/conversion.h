// SPDX-License-Identifier: Apache-2.0
// Conversion between the plan's bytes and the program's if their order or type differs.
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

// Returns the number of bytes in the plan's order that correspond to `there` bytes of the program.
uint64_t host_bytes(const MaybeConversion& conversion, uint64_t there);

// Converts from the tensor to the form that the program reads. Results of another type, which a program only writes,
// become zero.
void bring_in(const MaybeConversion& conversion, const std::byte* from, std::span<std::byte> to);
// Converts the program's results to the form of the tensor.
void bring_out(const MaybeConversion& conversion, std::span<const std::byte> from, std::byte* to);

}  // namespace nestrt::evta
