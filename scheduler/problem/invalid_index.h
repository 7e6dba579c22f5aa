// kInvalidIndex: the index that is none.
#pragma once

#include <cstdint>

namespace nestrt::scheduler {

inline constexpr uint32_t kInvalidIndex = UINT32_MAX;

}  // namespace nestrt::scheduler
