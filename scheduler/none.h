// kNone: the index that is none.
#pragma once

#include <cstdint>

namespace nestrt::scheduler {

inline constexpr uint32_t kNone = UINT32_MAX;

}  // namespace nestrt::scheduler
