// SPDX-License-Identifier: Apache-2.0
// The producer version in plans: the project's version from CMakeLists.txt.
#pragma once

namespace nestrt::compiler {

inline constexpr const char* kVersion = NESTRT_VERSION;

}  // namespace nestrt::compiler
