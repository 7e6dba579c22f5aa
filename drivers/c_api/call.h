// How a function of the C API calls C++: exceptions become a Status, and that a code and the message of the thread.
#pragma once

#include <string>
#include <string_view>

#include "nestrt/nestrt.h"
#include "nestrt/status.h"
#include "runtime/platform/guard.h"

namespace nestrt::c_api {

// Of the calling thread's last failure, escaped.
const std::string& last_error();

// The code of the status, whose message is kept where it is a failure.
nestrt_code finish(const Status& status) noexcept;

// Errors: kInvalidArgument.
Status expect_argument(const void* argument, std::string_view name);

template <typename Callable>
nestrt_code call(Callable&& callable) noexcept {
  return finish(guarded(callable));
}

}  // namespace nestrt::c_api
