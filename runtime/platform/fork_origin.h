// ForkOrigin: whether what was made before a fork() is used in the child, which has none of the library's threads.
#pragma once

#include <cstdint>
#include <string_view>

#include "nestrt/status.h"

namespace nestrt {

// A member of what has threads, or locks that threads hold.
class ForkOrigin {
 public:
  ForkOrigin();
  // Whether this process is a child of the one that made it.
  bool in_child() const;
  // kUnavailable there, about `what`.
  Status check(std::string_view what) const;

 private:
  uint32_t forks_;
};

// How many forks lie between this process and the one that loaded the library. As fast as an atomic load.
uint32_t forks_so_far();

}  // namespace nestrt
