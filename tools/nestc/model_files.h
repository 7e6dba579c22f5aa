// SPDX-License-Identifier: Apache-2.0
// The files of a model, which commands must not overwrite.
#pragma once

#include <string>

#include "nestrt/status.h"

namespace nestrt::compiler {

// Errors: kInvalidArgument if `output` is the model, under any path, or one of its external data files.
Status check_not_model(const std::string& output, const std::string& model);

}  // namespace nestrt::compiler
