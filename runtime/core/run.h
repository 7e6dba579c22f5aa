// SPDX-License-Identifier: Apache-2.0
// Runs a submission to completion, for units that have no prepared Executable yet.
#pragma once

#include "nestrt/driver/unit.h"
#include "runtime/core/function_ref.h"

namespace nestrt {

// Calls `submit` with the submission and waits for completion. Sets the submission's completion and generation.
Status run(Submission submission, FunctionRef<void(const Submission&)> submit);

}  // namespace nestrt
