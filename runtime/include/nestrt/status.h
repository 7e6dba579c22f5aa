// SPDX-License-Identifier: Apache-2.0
// Status: the outcome of an operation that can fail.
//
// A Status has a code for programs and a message for users. The message describes what is wrong, where (node, tensor,
// table, file), the expected and actual values, and the remedy. Success and copies allocate nothing.
//
// Threading: a value type; distinct objects may be used from distinct threads.
// Errors: every failure is a Status, including running out of memory. Functions that return a Status or a Result do not
// throw. Other functions, such as Session::operators(), throw std::bad_alloc if memory is exhausted.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

// Codes in groups: the tens digit identifies who has to act.
enum class Code : int {
  kOk = 0,
  // The argument is invalid; call again with a valid one.
  kInvalidArgument = 10,  // wrong name, type, shape, size or option
  kNotFound = 11,         // no file, tensor, node or kernel with that name
  // The file or the board does not fit; compile or copy the file again, or correct the board.
  kInvalidModel = 20,  // a malformed, hostile or inconsistent ONNX file
  kUnsupported = 21,   // a well-formed file that uses a feature nestrt does not implement
  kInvalidPlan = 22,   // a plan that fails verification
  kIncompatible = 23,  // a file of another version or for other units, or a board that does not fit
  // The machine failed; a retry may help.
  kOutOfMemory = 30,
  kIo = 31,
  // A unit failed; the scheduler may retry on another unit.
  kUnavailable = 40,       // the unit or its driver is absent, quarantined or busy
  kDeadlineExceeded = 41,  // the deadline passed before completion
  kCancelled = 42,
  kDeviceFault = 43,  // the unit reported a failure
  // A defect of nestrt itself: please report it.
  kInternal = 50,
};

// Returns the stable, lower-case name of a code, such as "invalid plan".
std::string_view code_name(Code code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);
  // Returns kOutOfMemory without allocating memory.
  static Status out_of_memory() noexcept;

  // Return whether there is no error, and the code, which is kOk on success.
  bool ok() const { return detail_ == nullptr; }
  Code code() const { return ok() ? Code::kOk : detail_->code; }
  // Empty on success. Valid for the life of this Status.
  std::string_view message() const { return ok() ? std::string_view() : detail_->message; }
  // Returns "invalid plan: tensor 3 ..." or "ok".
  std::string to_string() const;
  // Returns the failure with "context: " prepended to its message. Success is unchanged.
  Status with_context(std::string_view context) const;

 private:
  struct Detail {
    Code code;
    std::string message;
  };
  static const std::shared_ptr<const Detail>& no_memory();

  std::shared_ptr<const Detail> detail_;
};

// Returns success.
inline Status ok_status() { return Status(); }

}  // namespace nestrt

#define NESTRT_RETURN_IF_ERROR(expression)                                                        \
  do {                                                                                            \
    if (::nestrt::Status nestrt_status = (expression); !nestrt_status.ok()) return nestrt_status; \
  } while (false)
