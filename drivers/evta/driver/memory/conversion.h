// How the plan's bytes and those that a program reads or writes differ, where they do: another order, another type.
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

// Of the tensor, in the plan's order, where the program has `there` bytes of it.
uint64_t host_bytes(const MaybeConversion& conversion, uint64_t there);

// From the tensor to what the program reads. What a program only writes, results of another type, becomes zero.
void bring_in(const MaybeConversion& conversion, const std::byte* from, std::span<std::byte> to);
// From what the program wrote to the tensor.
void bring_out(const MaybeConversion& conversion, std::span<const std::byte> from, std::byte* to);

}  // namespace nestrt::evta
