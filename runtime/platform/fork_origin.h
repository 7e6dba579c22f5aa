// SPDX-License-Identifier: Apache-2.0
// ForkOrigin: detects the use of an object in a child of fork(), which has none of the library's threads.
#pragma once

#include <cstdint>
#include <string_view>

#include "nestrt/status.h"

namespace nestrt {

// A member of objects that have threads, or locks that threads may hold.
class ForkOrigin {
 public:
  ForkOrigin();
  // Returns whether this process is a child of the one that created the object.
  bool in_child() const;
  // Returns kUnavailable in a child; `what` names the object.
  Status check(std::string_view what) const;

 private:
  uint32_t forks_;
};

// Returns the number of forks between this process and the one that loaded the library. Costs an atomic load.
uint32_t forks_so_far();

}  // namespace nestrt
