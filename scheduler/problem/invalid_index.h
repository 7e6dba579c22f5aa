// SPDX-License-Identifier: Apache-2.0
// kInvalidIndex: the index of nothing.
#pragma once

#include <cstdint>

namespace nestrt::scheduler {

inline constexpr uint32_t kInvalidIndex = UINT32_MAX;

}  // namespace nestrt::scheduler
