// SPDX-License-Identifier: Apache-2.0
// The units of this machine, as a table and as JSON.
#pragma once

#include <string>

#include "tools/nestrt/load.h"

namespace nestrt::command {

// Tries each known unit and prints the results. Also writes them to `json_file` unless it is empty.
Status show_units(const UnitChoice& choice, const std::string& json_file);

}  // namespace nestrt::command
