// guarded(): the edge where exceptions of the standard library become a Status.
#pragma once

#include <exception>

#include "nestrt/status.h"

namespace nestrt {

// kOutOfMemory for std::bad_alloc, which takes no memory, or where there is none to say what else it was; kInternal.
Status status_of(const std::exception& error) noexcept;

// Result is Status or some Result<T>: anything that a Status converts to. Throws none of them.
template <typename Callable>
auto guarded(Callable&& callable) -> decltype(callable()) {
  try {
    return callable();
  } catch (const std::exception& error) {
    return status_of(error);
  }
}

// For what is done for people alone, such as logging: where it fails, nothing else does.
template <typename Callable>
void attempt(Callable&& callable) noexcept {
  static_cast<void>(guarded([&]() -> Status {
    callable();
    return {};
  }));
}

}  // namespace nestrt
