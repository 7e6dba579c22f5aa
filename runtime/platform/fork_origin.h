// SPDX-License-Identifier: Apache-2.0
// ForkOrigin: detects that an object is used in a child of fork(), where the library's threads do not exist.
#pragma once

#include <cstdint>
#include <string_view>

#include "nestrt/status.h"

namespace nestrt {

// A member of objects that own threads, or locks that threads may hold.
class ForkOrigin {
 public:
  ForkOrigin();
  // Returns whether this process is a child of the one that created the object.
  bool in_child() const;
  // Returns kUnavailable in a child process; `what` names the object in the message.
  Status check(std::string_view what) const;

 private:
  uint32_t forks_;
};

// Returns the number of forks between the process that loaded the library and this one. Costs one atomic load.
uint32_t forks_so_far();

}  // namespace nestrt
