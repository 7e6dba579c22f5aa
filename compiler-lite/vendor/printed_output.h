// SPDX-License-Identifier: Apache-2.0
// What a vendor's command printed, for messages.
#pragma once

#include <string>

#include "compiler-lite/process/process.h"

namespace nestrt::compiler {

// Returns standard error, or standard output if that is empty, as one line. Of a long text it shows the start, where
// some compilers print the cause, and the end. If it does not show everything, it names a new file in the folder for
// temporary files that contains all output; `part` becomes part of its name.
std::string printed_by(const ProcessResult& result, const std::string& part);

}  // namespace nestrt::compiler
