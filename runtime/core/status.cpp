#include "nestrt/status.h"

#include <fmt/core.h>

namespace nestrt {

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
      return "incompatible plan";
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
  if (code != Code::kOk) detail_ = std::make_unique<Detail>(Detail{code, std::move(message)});
}

Status::Status(const Status& other) : detail_(other.detail_ ? std::make_unique<Detail>(*other.detail_) : nullptr) {}

Status& Status::operator=(const Status& other) {
  if (this != &other) detail_ = other.detail_ ? std::make_unique<Detail>(*other.detail_) : nullptr;
  return *this;
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
