// SPDX-License-Identifier: Apache-2.0
// A hook that is called for every C library allocation of the process, on any thread. malloc and its relatives are
// interposed; under a sanitizer, its hooks are used.
#pragma once

#include <cstddef>

namespace nestrt::test {

// `block` is null if it must not be written: calloc() and realloc() blocks have contents.
using AllocationHook = void (*)(void* block, size_t size);

// Returns whether any blocks may be written.
bool allocations_can_be_filled();

// Sets the only hook; null removes it.
void set_allocation_hook(AllocationHook hook);

}  // namespace nestrt::test
