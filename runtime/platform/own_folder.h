// SPDX-License-Identifier: Apache-2.0
// own_folder(): the folder of the program or library that contains this code. Installed resources are located relative
// to it.
#pragma once

#include <filesystem>

namespace nestrt {

// Returns an absolute path if the system provides one, or an empty path if the folder is unknown.
std::filesystem::path own_folder();

}  // namespace nestrt
