// SPDX-License-Identifier: Apache-2.0
#include "runtime/platform/guard.h"

#include <new>

namespace nestrt {

Status status_of(const std::exception& error) noexcept {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return Status::out_of_memory();
  try {
    return Status(Code::kInternal, error.what());
  } catch (const std::exception&) {
    return Status::out_of_memory();
  }
}

}  // namespace nestrt
