// SPDX-License-Identifier: Apache-2.0
// Static cost estimates for operators: helpers for OperatorRules::steps and OperatorRules::macs.
#pragma once

#include <cstdint>

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

inline constexpr int64_t kCopySteps = 4;       // computing an index and copying an element
inline constexpr int64_t kFunctionSteps = 16;  // computing an index and calling a standard library function

// Return the product or the sum of non-negative numbers, or INT64_MAX on overflow.
int64_t saturating_product(int64_t a, int64_t b);
int64_t saturating_sum(int64_t a, int64_t b);

// Returns the steps of an operator that needs `per_input` steps per input element and `per_output` per output element.
int64_t element_steps(const OperatorSpec& spec, int64_t per_input, int64_t per_output);

// Return the steps of an operator that reads every input once and performs one copy or function call per output
// element.
int64_t copy_steps(const OperatorSpec& spec);
int64_t function_steps(const OperatorSpec& spec);

// Returns 0. For operators without matrix products.
uint64_t no_macs(const OperatorSpec& spec);

}  // namespace nestrt::kernels
