// SPDX-License-Identifier: Apache-2.0
#include "nestrt/status.h"

#include <fmt/core.h>

#include <type_traits>

namespace nestrt {

// Allocated early, while memory is available, and never destroyed, because threads may fail during process exit.
const std::shared_ptr<const Status::Detail>& Status::no_memory() {
  static const auto* const detail = new std::shared_ptr<const Detail>(std::make_shared<const Detail>(
      Detail{Code::kOutOfMemory, "out of memory; close other programs or use a smaller model"}));
  return *detail;
}

namespace {

[[maybe_unused]] const Status made_with_the_library = Status::out_of_memory();

}  // namespace

std::string_view code_name(Code code) {
  switch (code) {
    case Code::kOk:
      return "ok";
    case Code::kInvalidArgument:
      return "invalid argument";
    case Code::kNotFound:
      return "not found";
    case Code::kInvalidModel:
      return "invalid model";
    case Code::kUnsupported:
      return "unsupported";
    case Code::kInvalidPlan:
      return "invalid plan";
    case Code::kIncompatible:
      return "incompatible";
    case Code::kOutOfMemory:
      return "out of memory";
    case Code::kIo:
      return "input/output error";
    case Code::kUnavailable:
      return "unavailable";
    case Code::kDeadlineExceeded:
      return "deadline exceeded";
    case Code::kCancelled:
      return "cancelled";
    case Code::kDeviceFault:
      return "device fault";
    case Code::kInternal:
      return "internal error";
  }
  return "unknown";
}

Status::Status(Code code, std::string message) {
  if (code != Code::kOk) detail_ = std::make_shared<const Detail>(Detail{code, std::move(message)});
}

Status Status::out_of_memory() noexcept {
  static_assert(std::is_nothrow_copy_constructible_v<Status>);
  Status status;
  status.detail_ = no_memory();
  return status;
}

std::string Status::to_string() const {
  if (ok()) return "ok";
  return fmt::format("{}: {}", code_name(code()), detail_->message);
}

Status Status::with_context(std::string_view context) const {
  if (ok()) return {};
  return Status(code(), fmt::format("{}: {}", context, detail_->message));
}

}  // namespace nestrt
