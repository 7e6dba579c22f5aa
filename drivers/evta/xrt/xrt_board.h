// SPDX-License-Identifier: Apache-2.0
// XrtBoard: the properties of a board on which the transport depends.
//
// Sources: XRT's documentation and its source of 2022.1 (xocl for PCIe, zocl on Zynq); docs/reference/hardware.md.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "drivers/evta/board/system_files.h"

namespace nestrt::evta {

struct XrtBoard {
  std::string_view name;  // of the first supported board of this kind
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

// Returns the kind of board of this system: a Zynq if zocl has a device, regardless of the processor, otherwise a card.
const XrtBoard& attached_xrt_board(const SystemFiles& system);

// Returns null if the name is unknown.
constexpr const XrtBoard* find_xrt_board(std::string_view name) {
  for (const XrtBoard& board : kXrtBoards)
    if (board.name == name) return &board;
  return nullptr;
}

}  // namespace nestrt::evta
