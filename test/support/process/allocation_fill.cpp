// SPDX-License-Identifier: Apache-2.0
#include "test/support/process/allocation_fill.h"

#include "test/support/process/allocation_hook.h"

namespace nestrt::test {
namespace {

template <Stale kStale>
void fill_block(void* block, size_t size) {
  if (block != nullptr) fill({static_cast<std::byte*>(block), size}, kStale);
}

}  // namespace

AllocationFill::AllocationFill(Stale stale) {
  set_allocation_hook(stale == Stale::kZeros ? fill_block<Stale::kZeros> : fill_block<Stale::kNans>);
}

AllocationFill::~AllocationFill() { set_allocation_hook(nullptr); }

}  // namespace nestrt::test
