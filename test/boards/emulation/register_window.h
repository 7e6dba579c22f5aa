// Pages whose loads and stores are registers: each access of a 32-bit word traps, and is answered by a function.
//
// The pages are not accessible; a handler of SIGSEGV reads the instruction that was at them, does what it would have
// done, and goes on behind it. It understands the instructions that a compiler makes of an access to a 32-bit word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace nestrt::boards {

struct RegisterAccess {
  std::function<uint32_t(uint32_t offset)> read;
  std::function<void(uint32_t offset, uint32_t value)> write;
};

// Null where there is no memory for it. Whoever gets the pages unmaps them.
void* map_register_window(size_t size, RegisterAccess access);

}  // namespace nestrt::boards
