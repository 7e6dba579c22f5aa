// SPDX-License-Identifier: Apache-2.0
// The output of a vendor's command, shortened for messages.
#pragma once

#include <string>

#include "compiler-lite/process/process.h"

namespace nestrt::compiler {

// Returns standard error, or standard output if standard error is empty, as one line. A long text is reduced to its
// start, where some compilers print the cause, and its end. In that case all output is saved in a new temporary file,
// whose name contains `part` and is included in the result.
std::string printed_by(const ProcessResult& result, const std::string& part);

}  // namespace nestrt::compiler
