// Which of the files that a command takes is a plan, and not a model.
#pragma once

#include <string>

namespace nestrt::compiler {

// By its first bytes. Only a regular file is opened: reading a pipe would wait for its writer.
bool is_plan_file(const std::string& path);

}  // namespace nestrt::compiler
