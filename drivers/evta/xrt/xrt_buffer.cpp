// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/xrt/xrt_buffer.h"

#include <fmt/core.h>

#include "drivers/evta/xrt/xrt_errors.h"

namespace nestrt::evta {
namespace {

// Rounds up to whole pages: XRT allocates aligned memory from the C library, which requires a multiple of the
// alignment.
uint64_t whole_pages(uint64_t size) { return (size + kPageBytes - 1) / kPageBytes * kPageBytes; }

// On a Zynq, memory for a bank of the shared DRAM comes from Linux's contiguous pool, wherever that is: zocl ignores
// the bounds of the bank, and many xclbins state less memory than the board has.
bool has_bounds(const XrtBoard& board, const XrtBank& bank) {
  return !board.cached_buffers || bank.begin >= kEndOfAddresses;
}

// XRT only warns if the driver uses another bank, or copies the data to the right bank at every start.
Status check_place(const XrtBoard& board, const XrtBank& bank, uint64_t begin, uint64_t size) {
  const uint64_t end = begin + size;
  if (has_bounds(board, bank) && (begin < bank.begin || end > bank.end))
    return Status(Code::kIncompatible,
                  fmt::format("a buffer is at {:#x}, outside bank {} [{:#x}, {:#x}): the xclbin's memory topology does "
                              "not match the device",
                              begin, bank.tag, bank.begin, bank.end));
  if (begin < bank.base || end - bank.base > kEndOfAddresses)
    return Status(
        Code::kIncompatible,
        fmt::format("a buffer is at {:#x}, but EVTA addresses only 4 GiB from {:#x}: reserve the CMA pool there, or "
                    "link the kernel to a bank there",
                    begin, bank.base));
  return {};
}

}  // namespace

Result<std::shared_ptr<XrtBuffer>> XrtBuffer::create(const xrt::device& device, const XrtBoard& board,
                                                     const XrtBank& bank, uint64_t size, uint64_t offset,
                                                     bool is_coherent) {
  if (size > kEndOfAddresses - offset)
    return Status(Code::kOutOfMemory, fmt::format("cannot allocate {} bytes within EVTA's 4 GiB", size));
  const uint64_t total = std::max(whole_pages(offset + size), kPageBytes);
  const auto make = [&]() -> Result<std::shared_ptr<XrtBuffer>> {
    xrt::bo memory(device, total, board.cached_buffers ? xrt::bo::flags::cacheable : xrt::bo::flags::normal,
                   bank.index);
    const uint64_t address = memory.address();
    NESTRT_RETURN_IF_ERROR(check_place(board, bank, address, total));
    const std::span<std::byte> bytes(memory.map<std::byte*>() + offset, size);
    return std::make_shared<XrtBuffer>(std::move(memory), address - bank.base, bytes, offset, is_coherent);
  };
  return xrt_call(fmt::format("allocating {} bytes in bank {}", total, bank.tag), Code::kOutOfMemory, make);
}

Status XrtBuffer::to_device(uint64_t offset, uint64_t size) {
  return xrt_call("transferring memory to the device", Code::kDeviceFault, [&]() -> Status {
    if (size > 0 && !is_coherent_) memory_.sync(XCL_BO_SYNC_BO_TO_DEVICE, size, offset_ + offset);
    return {};
  });
}

Status XrtBuffer::from_device(uint64_t offset, uint64_t size) {
  return xrt_call("transferring memory from the device", Code::kDeviceFault, [&]() -> Status {
    if (size > 0 && !is_coherent_) memory_.sync(XCL_BO_SYNC_BO_FROM_DEVICE, size, offset_ + offset);
    return {};
  });
}

}  // namespace nestrt::evta
