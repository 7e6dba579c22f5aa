// xrt_call(): the edge where whatever XRT throws becomes a Status. XRT throws what the standard library, Boost and its
// own errors throw, most with an errno of the kernel driver; each has a meaning of its own for whoever has to act.
#pragma once

#include <string_view>

#include "nestrt/result.h"

namespace nestrt::evta {

// Of the exception that is being handled. `what` was being done; `otherwise` is the code where the exception tells
// none.
Status xrt_failure(std::string_view what, Code otherwise) noexcept;

// The code and the advice for an errno of the kernel driver.
struct XrtAdvice {
  int error;
  Code code;
  std::string_view advice;
};
// Null where there is nothing to add to the system's own words.
const XrtAdvice* find_xrt_advice(int error);

// Callable gives a Status or some Result<T>. Throws nothing.
template <typename Callable>
auto xrt_call(std::string_view what, Code otherwise, Callable&& callable) noexcept -> decltype(callable()) {
  try {
    return callable();
  } catch (...) {
    return xrt_failure(what, otherwise);
  }
}

}  // namespace nestrt::evta
