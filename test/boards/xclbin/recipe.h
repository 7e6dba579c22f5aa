// SPDX-License-Identifier: Apache-2.0
// Makes xclbin files from the files of boards/recipes, as xclbinutil and v++ do.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "test/boards/xclbin/xclbin_writer.h"

namespace nestrt::boards {

// Returns the xclbin of a folder with ip_layout.json, mem_topology.json and metadata.xml. `shell` replaces the platform
// of the recipe.
std::vector<std::byte> make_recipe_xclbin(const std::filesystem::path& folder, const std::string& shell,
                                          unsigned char id);

std::vector<std::byte> read_bytes(const std::filesystem::path& file);
// Changes the platform of an xclbin.
void set_platform(std::vector<std::byte>& xclbin, const std::string& shell);

// Returns the arguments of the kernel that a kernel.xml describes.
std::vector<XclbinArgument> read_kernel_arguments(const std::filesystem::path& kernel_xml);

}  // namespace nestrt::boards
