// The units of this machine, as a table for people and as JSON.
#pragma once

#include <string>

#include "tools/nestrt/load.h"

namespace nestrt::command {

// Tries each unit that nestrt knows, and prints what it found. `json_file`: written too, unless it is empty.
Status show_units(const UnitChoice& choice, const std::string& json_file);

}  // namespace nestrt::command
