// SPDX-License-Identifier: Apache-2.0
// XrtBuffer: memory in a bank of a board, and the host's view of it, which is shared cached memory or a copy.
#pragma once

#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>

#include "drivers/evta/driver/transport.h"
#include "drivers/evta/xrt/xrt_board.h"

namespace nestrt::evta {

inline constexpr uint64_t kEndOfAddresses = uint64_t{1} << 32;  // end of EVTA's address space

// The memory bank for new buffers.
struct XrtBank {
  uint32_t index;
  uint64_t begin, end;  // device addresses
  std::string tag;      // "HBM[0]", "DDR", ...
  uint64_t base = 0;    // device address of EVTA's address 0
};

class XrtBuffer final : public DeviceBuffer {
 public:
  // `offset`: offset of the address from a page boundary. `is_coherent`: no synchronisation is necessary. Errors:
  // kOutOfMemory if the bank is full, kIncompatible for memory that EVTA cannot address, or in another bank.
  static Result<std::shared_ptr<XrtBuffer>> create(const xrt::device& device, const XrtBoard& board,
                                                   const XrtBank& bank, uint64_t size, uint64_t offset,
                                                   bool is_coherent = false);
  XrtBuffer(xrt::bo memory, uint64_t address, std::span<std::byte> bytes, uint64_t offset, bool is_coherent)
      : memory_(std::move(memory)), address_(address), bytes_(bytes), offset_(offset), is_coherent_(is_coherent) {}

  uint64_t address() const override { return address_ + offset_; }
  std::span<std::byte> bytes() const override { return bytes_; }
  Status to_device(uint64_t offset, uint64_t size) override;
  Status from_device(uint64_t offset, uint64_t size) override;

 private:
  xrt::bo memory_;
  const uint64_t address_;  // EVTA's address of the first page
  const std::span<std::byte> bytes_;
  const uint64_t offset_;
  const bool is_coherent_;
};

}  // namespace nestrt::evta
