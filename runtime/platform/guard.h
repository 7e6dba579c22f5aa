// SPDX-License-Identifier: Apache-2.0
// guarded(): converts standard library exceptions to a Status.
#pragma once

#include <exception>

#include "nestrt/status.h"

namespace nestrt {

// Returns kOutOfMemory for std::bad_alloc, without allocating, or if the message cannot be allocated; otherwise
// kInternal.
Status status_of(const std::exception& error) noexcept;

// Calls `callable`, whose result is Status or Result<T>. Standard exceptions do not escape.
template <typename Callable>
auto guarded(Callable&& callable) -> decltype(callable()) {
  try {
    return callable();
  } catch (const std::exception& error) {
    return status_of(error);
  }
}

// Calls `callable` and ignores failures, for optional work such as logging.
template <typename Callable>
void attempt(Callable&& callable) noexcept {
  static_cast<void>(guarded([&]() -> Status {
    callable();
    return {};
  }));
}

}  // namespace nestrt
