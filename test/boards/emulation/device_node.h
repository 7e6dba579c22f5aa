// Files below the root of an emulated system: devices, and what sysfs says of them.
#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

namespace nestrt::boards {

// In place of what is there, in folders that are made where they are missing.
inline void write_node(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

}  // namespace nestrt::boards
