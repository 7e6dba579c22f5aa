// SPDX-License-Identifier: Apache-2.0
// Failures as Python exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "nestrt/result.h"

namespace nestrt::python {

// The exception of nestrt._errors for the status. `where`: the file or the call that it is about. Needs the GIL.
[[noreturn]] void raise(const Status& status, std::string_view where);

inline void check(const Status& status, std::string_view where) {
  if (!status.ok()) raise(status, where);
}

template <typename T>
T checked(Result<T> result, std::string_view where) {
  if (!result) raise(result.error(), where);
  return std::move(*result);
}

// Work of seconds without the GIL that a KeyboardInterrupt ends where it asks: poll() raises what the signal's handler
// raised, through the work, which run() hands on. For work that is safe to leave by an exception.
class Interruptible {
 public:
  // Of the work, at the end of a step; with the GIL released. `call`: what else is to be done there with the GIL.
  void poll(const std::function<void()>& call = nullptr);

  template <typename Work>
  auto run(const Work& work, std::string_view where) {
    using Value = decltype(work());
    std::optional<Value> value;
    {
      nanobind::gil_scoped_release release;
      try {
        value.emplace(work());
      } catch (const Left&) {
      }
    }
    if (raised_) throw std::exchange(raised_, std::nullopt).value();
    return checked(std::move(*value), where);
  }

 private:
  struct Left {};

  std::optional<nanobind::python_error> raised_;
};

}  // namespace nestrt::python
