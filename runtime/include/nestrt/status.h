// Status: the outcome of an operation that can fail.
//
// A Status carries a code for programs and a message for people. A message says what was wrong, where
// (node, tensor, table, file), what was expected, and what to do about it. Success allocates nothing, and neither does
// copying.
//
// Threads: a value type; distinct objects may be used from distinct threads.
// Errors: every failure is a Status, lack of memory too. What returns a Status or a Result throws nothing; what returns
// something else, as Session::operators(), throws std::bad_alloc where there is no memory for it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "nestrt/driver/visibility.h"

namespace NESTRT_PUBLIC nestrt {

// Codes in groups: the tens digit names who has to act.
enum class Code : int {
  kOk = 0,
  // The caller passed something that does not fit; calling again with the right argument helps.
  kInvalidArgument = 10,  // wrong name, type, shape, size or option
  kNotFound = 11,         // a file, tensor, node or kernel of that name does not exist
  // The file is at fault; compiling or copying it again helps.
  kInvalidModel = 20,  // an ONNX file that is malformed, hostile or inconsistent
  kUnsupported = 21,   // well-formed, but uses something nestrt does not implement
  kInvalidPlan = 22,   // a plan that fails verification
  kIncompatible = 23,  // a plan of another format version, or for other units
  // The machine is at fault; a retry may help.
  kOutOfMemory = 30,
  kIo = 31,
  // A unit is at fault; the scheduler may retry elsewhere.
  kUnavailable = 40,       // the unit or its driver is absent, quarantined or busy
  kDeadlineExceeded = 41,  // the deadline passed before completion
  kCancelled = 42,
  kDeviceFault = 43,  // the unit reported a failure
  // A defect of nestrt itself: please report it.
  kInternal = 50,
};

// The stable, lower-case name of a code, such as "invalid plan".
std::string_view code_name(Code code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);
  // kOutOfMemory. Takes no memory.
  static Status out_of_memory() noexcept;

  bool ok() const { return detail_ == nullptr; }
  Code code() const { return ok() ? Code::kOk : detail_->code; }
  // Empty on success. Valid for the life of this Status.
  std::string_view message() const { return ok() ? std::string_view() : detail_->message; }
  // "invalid plan: tensor 3 ..." or "ok".
  std::string to_string() const;
  // The same failure with "context: " in front of its message; success stays success.
  Status with_context(std::string_view context) const;

 private:
  struct Detail {
    Code code;
    std::string message;
  };
  static const std::shared_ptr<const Detail>& no_memory();

  std::shared_ptr<const Detail> detail_;
};

inline Status ok_status() { return Status(); }

}  // namespace nestrt

#define NESTRT_RETURN_IF_ERROR(expression)                                                        \
  do {                                                                                            \
    if (::nestrt::Status nestrt_status = (expression); !nestrt_status.ok()) return nestrt_status; \
  } while (false)
