// SPDX-License-Identifier: Apache-2.0
// The kernel driver of this architecture's board: xocl for PCIe on x86-64 (xocl_driver.cpp), zocl on aarch64
// (zocl_driver.cpp). Implements XRT's requests and writes the files that XRT uses to find the device.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "test/boards/emulation/board.h"

namespace nestrt::boards {

extern const std::string_view kBoard;  // name in kXrtBoards
extern const std::string_view kShell;  // name of its platform
std::vector<MemoryBank> driver_banks();

// Writes the files below root for a device without a loaded xclbin.
void write_device_nodes(const std::filesystem::path& root);
void write_xclbin_nodes(const std::filesystem::path& root, const LoadedXclbin& loaded);

// Performs ioctl `number`. Returns 0 or a negative errno.
int control(Board& board, Client& client, unsigned number, void* argument);

}  // namespace nestrt::boards
