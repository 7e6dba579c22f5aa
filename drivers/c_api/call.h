// SPDX-License-Identifier: Apache-2.0
// Runs C++ code within functions of the C API. Converts exceptions to a Status, and a Status to a code and the thread's
// error message.
#pragma once

#include <string>
#include <string_view>

#include "nestrt/nestrt.h"
#include "nestrt/status.h"
#include "runtime/platform/guard.h"

namespace nestrt::c_api {

// Returns the message of the calling thread's last failure, escaped.
const std::string& last_error();

// Returns the status code. Stores the message of a failure.
nestrt_code finish(const Status& status) noexcept;

// Returns kInvalidArgument if `argument` is null.
Status expect_argument(const void* argument, std::string_view name);

template <typename Callable>
nestrt_code call(Callable&& callable) noexcept {
  return finish(guarded(callable));
}

}  // namespace nestrt::c_api
