// SPDX-License-Identifier: Apache-2.0
// Distinguishes plans from models among the files of a command.
#pragma once

#include <string>

namespace nestrt::compiler {

// Decides by the first bytes. Opens only regular files, as reading a pipe would wait for its writer.
bool is_plan_file(const std::string& path);

}  // namespace nestrt::compiler
