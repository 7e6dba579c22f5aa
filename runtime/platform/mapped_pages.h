// SPDX-License-Identifier: Apache-2.0
// Memory of mapped files.
#pragma once

#include <cstddef>
#include <span>

namespace nestrt {

// Releases the memory of pages that lie wholly in `bytes`, part of a file that is mapped and not written. The next
// access maps them again, without reading the file while the operating system still caches it.
void release_mapped_pages(std::span<const std::byte> bytes);

}  // namespace nestrt
