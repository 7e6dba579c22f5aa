// The files that a command writes beside what it prints: --json, --html.
#pragma once

#include <string>
#include <vector>

#include "nestrt/status.h"
#include "tools/nestc/options/compile_options.h"

namespace nestrt::compiler {

// Before anything is computed: each can be written, and is none of the command's inputs nor another of them. An empty
// path is no file.
Status check_report_files(const std::vector<std::string>& reports, const std::string& input, const CompileFlags& flags);

}  // namespace nestrt::compiler
