// SPDX-License-Identifier: Apache-2.0
// Special f32 values: infinity and NaN.
#pragma once

#include <limits>

namespace nestrt::test {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace nestrt::test
