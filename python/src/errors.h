// SPDX-License-Identifier: Apache-2.0
// Converts errors to Python exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "nestrt/result.h"

namespace nestrt::python {

// Raises the exception of nestrt._errors for the status. `where` is the file or call the error is about. Requires the
// GIL.
[[noreturn]] void raise(const Status& status, std::string_view where);

inline void check(const Status& status, std::string_view where) {
  if (!status.ok()) raise(status, where);
}

template <typename T>
T checked(Result<T> result, std::string_view where) {
  if (!result) raise(result.error(), where);
  return std::move(*result);
}

// Runs long work without the GIL; a KeyboardInterrupt can end it. The work calls poll(), which throws if the signal
// handler raised an exception; run() then rethrows that exception. The work must be exception-safe.
class Interruptible {
 public:
  // Called by the work after each step, with the GIL released. Runs `call` with the GIL.
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
