// SPDX-License-Identifier: Apache-2.0
#include "nestrt/driver/mutex.h"

#include <memory>

#include "runtime/platform/fork_origin.h"

namespace nestrt {

Condition::Condition() : forks_(forks_so_far()), native_() {}

Condition::~Condition() {
  if (forks_ == forks_so_far()) std::destroy_at(&native_);
}

}  // namespace nestrt
