// SPDX-License-Identifier: Apache-2.0
// Pages that emulate registers: each access of a 32-bit word traps and calls a function.
//
// The pages are not accessible. A SIGSEGV handler decodes the instruction, performs its effect and continues after it.
// It supports the instructions that a compiler generates for accesses of 32-bit words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace nestrt::boards {

struct RegisterAccess {
  std::function<uint32_t(uint32_t offset)> read;
  std::function<void(uint32_t offset, uint32_t value)> write;
};

// Returns null if there is no memory. The caller unmaps the pages.
void* map_register_window(size_t size, RegisterAccess access);

}  // namespace nestrt::boards
