// SPDX-License-Identifier: Apache-2.0
#include "drivers/c_api/call.h"

#include <fmt/core.h>

#include "runtime/text/escaped.h"

namespace nestrt::c_api {
namespace {

std::string& message() {
  thread_local std::string message;
  return message;
}

}  // namespace

const std::string& last_error() { return message(); }

nestrt_code finish(const Status& status) noexcept {
  if (!status.ok()) {
    message().clear();
    attempt([&] { message() = escaped(status.message()); });
  }
  return static_cast<nestrt_code>(status.code());
}

Status expect_argument(const void* argument, std::string_view name) {
  return argument != nullptr ? Status() : Status(Code::kInvalidArgument, fmt::format("{} is NULL", name));
}

}  // namespace nestrt::c_api
