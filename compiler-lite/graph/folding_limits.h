// The work that folding constants may take, in steps (evaluation_steps.h).
#pragma once

#include <cstdint>

namespace nestrt::compiler {

// What folding may spend in all, and what each byte of the model's constants adds to that, so that weights of any size
// may be transposed or converted.
inline constexpr int64_t kFoldingSteps = int64_t{1} << 29;
inline constexpr int64_t kFoldingStepsPerByte = 8;

}  // namespace nestrt::compiler
