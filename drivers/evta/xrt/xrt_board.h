// XrtBoard: what differs between the boards that XRT drives, as far as the transport is concerned.
//
// Sources: XRT's documentation and its source of 2022.1 (xocl behind PCIe, zocl on Zynq); docs/reference/hardware.md.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace nestrt::evta {

struct XrtBoard {
  std::string_view name;  // "zcu102", ...
  // Host and accelerator share DRAM: buffers are cached, and every sync is cache maintenance, which a coherent port
  // (coherence.h) does without. Else XRT keeps a copy in host memory, and every sync is a transfer.
  bool cached_buffers = false;
  // The memory bank of kernels that do not say what they are connected to: separate IPs without a connectivity section.
  uint32_t default_bank = 0;
  // What has to be done once a compute unit does not answer any more.
  std::string_view recovery;
};

inline constexpr std::array kXrtBoards = {
    XrtBoard{"zcu102", true, 0, "load the bitstream again, or restart the board"},
    XrtBoard{"u280", false, 0, "reset the card: xbutil reset --device BDF"},
};

// Null where none is of that name.
constexpr const XrtBoard* find_xrt_board(std::string_view name) {
  for (const XrtBoard& board : kXrtBoards)
    if (board.name == name) return &board;
  return nullptr;
}

}  // namespace nestrt::evta
