// SPDX-License-Identifier: Apache-2.0
// Files that are bundled with nestrt: next to the installed program or library that contains this code, or in the
// source tree around a build folder.
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
