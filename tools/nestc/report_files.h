// SPDX-License-Identifier: Apache-2.0
// The report files of a command: --json and --html.
#pragma once

#include <string>
#include <vector>

#include "nestrt/status.h"
#include "tools/nestc/options/compile_options.h"

namespace nestrt::compiler {

// Checks before any computation that each report is writable, is not an input of the command, and is not another
// report. Empty paths are ignored.
Status check_report_files(const std::vector<std::string>& reports, const std::string& input, const CompileFlags& flags);

}  // namespace nestrt::compiler
