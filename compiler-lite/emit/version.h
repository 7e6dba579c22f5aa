// The version that plans carry as their producer: the project's, from CMakeLists.txt.
#pragma once

namespace nestrt::compiler {

inline constexpr const char* kVersion = NESTRT_VERSION;

}  // namespace nestrt::compiler
