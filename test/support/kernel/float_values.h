// SPDX-License-Identifier: Apache-2.0
// Difficult f32 values for arithmetic.
#pragma once

#include <limits>

namespace nestrt::test {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace nestrt::test
