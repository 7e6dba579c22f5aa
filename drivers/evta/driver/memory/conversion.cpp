// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/memory/conversion.h"

#include <algorithm>
#include <cstring>

namespace nestrt::evta {

uint64_t host_bytes(const MaybeConversion& conversion, uint64_t there) {
  return conversion ? std::visit([](const auto& shape) { return shape.host_bytes(); }, *conversion) : there;
}

void bring_in(const MaybeConversion& conversion, const std::byte* from, std::span<std::byte> to) {
  if (!conversion)
    std::memcpy(to.data(), from, to.size());
  else if (const auto* const reblocking = std::get_if<Reblocking>(&*conversion))
    to_unit_blocks(*reblocking, from, to.data());
  else
    std::ranges::fill(to, std::byte{0});
}

void bring_out(const MaybeConversion& conversion, std::span<const std::byte> from, std::byte* to) {
  if (!conversion)
    std::memcpy(to, from.data(), from.size());
  else if (const auto* const reblocking = std::get_if<Reblocking>(&*conversion))
    from_unit_blocks(*reblocking, from.data(), to);
  else
    widen(*std::get_if<Widening>(&*conversion), from.data(), to);
}

}  // namespace nestrt::evta
