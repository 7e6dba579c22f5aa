// SPDX-License-Identifier: Apache-2.0
// xrt_call(): converts XRT exceptions to a Status. XRT throws its own exceptions and those of Boost and the standard
// library, most with an errno of the kernel driver. Each is reported with specific advice.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "nestrt/result.h"

namespace nestrt::evta {

// Converts the current exception. `what`: the activity that failed. `otherwise`: the code if the exception does not
// determine one.
Status xrt_failure(std::string_view what, Code otherwise) noexcept;

// The code and advice for an errno of the kernel driver.
struct XrtAdvice {
  int error;
  Code code;
  std::string_view advice;
};
// Returns null if the system's message needs no addition.
const XrtAdvice* find_xrt_advice(int error);

// Returns kUnavailable for a compute unit that another process uses.
Status unit_in_use(const std::string& unit) noexcept;

// Calls `callable`, which returns Status or Result<T>. Does not throw.
template <typename Callable>
auto xrt_call(std::string_view what, Code otherwise, Callable&& callable) noexcept -> decltype(callable()) {
  try {
    return callable();
  } catch (...) {
    return xrt_failure(what, otherwise);
  }
}

// Like xrt_call(), for opening the context of a compute unit that the xclbin contains. If another process has opened
// the unit exclusively, XRT's scheduler reports EINVAL instead of EBUSY (kds_core.c of 2.13 to 2.20).
template <typename Callable>
auto open_context(const std::string& unit, Callable&& open) noexcept -> decltype(open()) {
  auto opened = xrt_call("opening " + unit, Code::kUnavailable, std::forward<Callable>(open));
  return opened || opened.error().code() != Code::kInvalidArgument ? std::move(opened)
                                                                   : decltype(open())(unit_in_use(unit));
}

}  // namespace nestrt::evta
