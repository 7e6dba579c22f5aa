// guarded(): the edge where exceptions of the standard library become a Status.
#pragma once

#include <exception>
#include <new>

#include "nestrt/status.h"

namespace nestrt {

// Result is Status or some Result<T>: anything that a Status converts to.
template <typename Callable>
auto guarded(Callable&& callable) -> decltype(callable()) {
  try {
    return callable();
  } catch (const std::bad_alloc&) {
    return Status(Code::kOutOfMemory, "not enough memory; close other programs or use a smaller model");
  } catch (const std::exception& error) {
    return Status(Code::kInternal, error.what());
  }
}

}  // namespace nestrt
