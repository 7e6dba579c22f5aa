// SPDX-License-Identifier: Apache-2.0
// Files below the root of an emulated system: devices and their sysfs entries.
#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

namespace nestrt::boards {

// Replaces the file; creates missing folders.
inline void write_node(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

}  // namespace nestrt::boards
