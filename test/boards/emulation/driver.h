// The kernel driver of the board of this architecture: xocl behind PCIe on x86-64 (xocl_driver.cpp), zocl on aarch64
// (zocl_driver.cpp). What XRT asks of it, and the files by which it finds the device.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "test/boards/emulation/board.h"

namespace nestrt::boards {

extern const std::string_view kBoard;  // of kXrtBoards
extern const std::string_view kShell;  // of its platform
std::vector<MemoryBank> driver_banks();

// Below root; the device as it is when no xclbin was loaded.
void write_device_nodes(const std::filesystem::path& root);
void write_xclbin_nodes(const std::filesystem::path& root, const LoadedXclbin& loaded);

// `number` of the ioctl. 0 or a negative errno.
int control(Board& board, Client& client, unsigned number, void* argument);

}  // namespace nestrt::boards
