// SPDX-License-Identifier: Apache-2.0
// XrtBoard: properties in which boards differ, as far as the transport needs them.
//
// Sources: XRT's documentation and its source of 2022.1 (xocl for PCIe, zocl on Zynq); docs/reference/hardware.md.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace nestrt::evta {

struct XrtBoard {
  std::string_view name;  // "zcu102", ...
  // If true, host and accelerator share DRAM: buffers are cached, and every sync is cache maintenance, which a coherent
  // port (coherence.h) does not need. Otherwise XRT keeps a copy in host memory, and every sync is a transfer.
  bool cached_buffers = false;
  // The memory bank of kernels without connectivity information, that is, separate IPs without a connectivity section.
  uint32_t default_bank = 0;
  // How to recover a compute unit that no longer responds.
  std::string_view recovery;
};

inline constexpr std::array kXrtBoards = {
    XrtBoard{"zcu102", true, 0, "load the bitstream again, or restart the board"},
    XrtBoard{"u280", false, 0, "reset the card: xbutil reset --device BDF"},
};

// Returns null if the name is unknown.
constexpr const XrtBoard* find_xrt_board(std::string_view name) {
  for (const XrtBoard& board : kXrtBoards)
    if (board.name == name) return &board;
  return nullptr;
}

}  // namespace nestrt::evta
