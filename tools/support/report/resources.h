// Files that come with nestrt: beside an installed program or library that has this code, or in the source tree around
// a build folder.
#pragma once

#include <filesystem>
#include <string_view>

#include "nestrt/result.h"

namespace nestrt::tools {

// Returns the folder with `file`: share/nestrt/NAME of an installation, or SOURCE_FOLDER of the source tree. Errors:
// kUnavailable.
Result<std::filesystem::path> find_resource(std::string_view name, std::string_view source_folder,
                                            std::string_view file);

}  // namespace nestrt::tools
