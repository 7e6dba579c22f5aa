// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or the Status that explains why it is missing.
//
// Member names follow std::expected (C++23), so that a later migration is a one-line alias.
// Accessing the value of a failed Result is a programming error and aborts.
#pragma once

#include <cstdlib>
#include <optional>
#include <utility>

#include "nestrt/status.h"
#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}      // NOLINT: implicit by design
  Result(Status error) : error_(std::move(error)) {  // NOLINT: implicit by design
    if (error_.ok()) std::abort();
  }

  // Returns whether the result contains a value.
  bool has_value() const { return value_.has_value(); }
  explicit operator bool() const { return has_value(); }

  // Returns the value. Aborts the process if the result is an error.
  T& value() & { return checked(); }
  const T& value() const& { return const_cast<Result*>(this)->checked(); }
  T&& value() && { return std::move(checked()); }
  T& operator*() & { return checked(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(checked()); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &value(); }

  // Returns the error, or ok if there is a value.
  const Status& error() const { return error_; }

 private:
  T& checked() {
    if (!value_.has_value()) std::abort();
    return *value_;
  }

  std::optional<T> value_;
  Status error_;
};

}  // namespace nestrt

#define NESTRT_CONCAT_INNER(a, b) a##b
#define NESTRT_CONCAT(a, b) NESTRT_CONCAT_INNER(a, b)
// NESTRT_ASSIGN_OR_RETURN(auto value, expression_returning_result);
#define NESTRT_ASSIGN_OR_RETURN(declaration, expression)                                                            \
  auto NESTRT_CONCAT(nestrt_result_, __LINE__) = (expression);                                                      \
  if (!NESTRT_CONCAT(nestrt_result_, __LINE__).has_value()) return NESTRT_CONCAT(nestrt_result_, __LINE__).error(); \
  declaration = std::move(*NESTRT_CONCAT(nestrt_result_, __LINE__))
