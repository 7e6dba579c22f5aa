// What is told of every block that the process asks the C library for, on any thread. malloc and its relatives are
// interposed; under a sanitizer, its hooks tell.
#pragma once

#include <cstddef>

namespace nestrt::test {

// `block` is null where nothing may be written to it: what calloc() and realloc() give has contents.
using AllocationHook = void (*)(void* block, size_t size);

// Whether there are blocks that may be written to.
bool allocations_can_be_filled();

// One at a time; null: none.
void set_allocation_hook(AllocationHook hook);

}  // namespace nestrt::test
