// The files of a model, which nothing is written over.
#pragma once

#include <string>

#include "nestrt/status.h"

namespace nestrt::compiler {

// kInvalidArgument where `output` names the model, by whatever path, or a file beside it that holds its data.
Status check_not_model(const std::string& output, const std::string& model);

}  // namespace nestrt::compiler
