// SPDX-License-Identifier: Apache-2.0
// kInvalidIndex: marks the absence of an index.
#pragma once

#include <cstdint>

namespace nestrt::scheduler {

inline constexpr uint32_t kInvalidIndex = UINT32_MAX;

}  // namespace nestrt::scheduler
