// What operators cost before they run: helpers of OperatorRules::steps and OperatorRules::macs.
#pragma once

#include <cstdint>

#include "nestrt/driver/kernel.h"

namespace nestrt::kernels {

inline constexpr int64_t kCopySteps = 4;       // an index and a copy
inline constexpr int64_t kFunctionSteps = 16;  // an index and a function of the standard library

// For numbers that are not negative; INT64_MAX where the result overflows.
int64_t saturating_product(int64_t a, int64_t b);
int64_t saturating_sum(int64_t a, int64_t b);

// The steps of so many for each element of the inputs and for each of the outputs.
int64_t element_steps(const OperatorSpec& spec, int64_t per_input, int64_t per_output);

// For operators that look at every input once and do one such thing for each element of the output.
int64_t copy_steps(const OperatorSpec& spec);
int64_t function_steps(const OperatorSpec& spec);

// For operators that multiply no matrices.
uint64_t no_macs(const OperatorSpec& spec);

}  // namespace nestrt::kernels
