// SPDX-License-Identifier: Apache-2.0
// Short descriptions of parts of a plan, for tables shown to users.
#pragma once

#include <string>

#include "nestrt/driver/plan_tables.h"

namespace nestrt {

// Returns the type and quantization: "f32", "s8 2^-4", "s8 2^-5 to 2^-9" (per channel), "u8 0.0235 (q - 128)".
// Requires: a verified plan.
std::string describe_type(const plan::Tensor& tensor);

}  // namespace nestrt
