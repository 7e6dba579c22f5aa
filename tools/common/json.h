// JSON results of the commands.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "nestrt/status.h"

namespace nestrt::tools {

// Keys stay in the order in which they were set.
using Json = nlohmann::ordered_json;

// Indented by two, written through a temporary file. Bytes of names that are not UTF-8 are replaced.
Status write_json(const std::string& path, const Json& json);

}  // namespace nestrt::tools
