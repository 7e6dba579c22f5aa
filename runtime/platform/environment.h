// SPDX-License-Identifier: Apache-2.0
// trusted_variable(): an environment variable that selects files to load or devices to access.
#pragma once

#include <string>

namespace nestrt {

// Returns the value of the environment variable `name`, or an empty string if it is not set. An empty value means the
// same, because a path made from it would be relative to the working directory. In set-user-ID programs, variables
// count as not set.
std::string trusted_variable(const char* name);

}  // namespace nestrt
