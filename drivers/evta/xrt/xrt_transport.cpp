// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/xrt/xrt_transport.h"

#include <fmt/core.h>
#include <xclbin.h>

#include <utility>

#include "drivers/evta/board/board_transport.h"
#include "drivers/evta/board/coherence.h"
#include "drivers/evta/board/fabric.h"
#include "drivers/evta/xrt/compute_unit.h"
#include "drivers/evta/xrt/xrt_buffer.h"
#include "drivers/evta/xrt/xrt_devices.h"
#include "drivers/evta/xrt/xrt_errors.h"
#include "nestrt/log.h"
#include "runtime/platform/guard.h"

namespace nestrt::evta {
namespace {

class XrtTransport final : public BoardTransport {
 public:
  // `card`: the device as the caller specified it.
  XrtTransport(xrt::device device, std::string card, const XrtBoard& board, XrtBank bank,
               std::shared_ptr<ComputeUnit> unit, DeviceLock lock)
      : BoardTransport(std::move(unit), std::move(lock), board.recovery),
        device_(std::move(device)),
        card_(std::move(card)),
        board_(board),
        bank_(std::move(bank)) {}

  std::string_view name() const override { return "xrt"; }
  std::string memory_name() const override {
    return fmt::format("{} {}{}", card_, bank_.index, is_coherent_ ? " coherent" : "");
  }
  uint64_t cache_line_bytes() const override { return board_.cached_buffers && !is_coherent_ ? kCacheLineBytes : 1; }

  Result<std::shared_ptr<DeviceBuffer>> allocate(uint64_t size, uint64_t offset) override {
    return create(size, offset, is_coherent_);
  }

  using BoardTransport::prepare;
  // Declares buffers allocated from now on coherent. Instruction buffers are excluded, because the probe does not test
  // the port that fetches instructions.
  void set_coherent() { is_coherent_ = true; }

 protected:
  Result<std::shared_ptr<DeviceBuffer>> allocate_instructions(uint64_t size) override { return create(size, 0, false); }

 private:
  Result<std::shared_ptr<DeviceBuffer>> create(uint64_t size, uint64_t offset, bool is_coherent) {
    NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<XrtBuffer> buffer,
                            XrtBuffer::create(device_, board_, bank_, size, offset, is_coherent));
    return std::shared_ptr<DeviceBuffer>(std::move(buffer));
  }

  const xrt::device device_;
  const std::string card_;
  const XrtBoard& board_;
  const XrtBank bank_;
  bool is_coherent_ = false;
};

// --- Opening.

Status check_options(const XrtOptions& options) {
  if (options.board == nullptr)
    return Status(Code::kInvalidArgument, "no board is specified: set XrtOptions::board to one of kXrtBoards");
  std::error_code error;
  if (!std::filesystem::is_regular_file(options.xclbin, error))
    return Status(Code::kNotFound, fmt::format("xclbin '{}' does not exist", options.xclbin.string()));
  NESTRT_ASSIGN_OR_RETURN(const uint32_t devices, count_xrt_devices());
  if (devices == 0)
    return Status(Code::kUnavailable,
                  "XRT does not find a device: check lspci or /dev/dri, and whether xocl or zocl is loaded (lsmod)");
  return {};
}

// While zocl loads an xclbin, it reads registers without checking that the fabric has a design.
Status check_design(const XrtOptions& options, const xrt::xclbin& xclbin) {
  const bool contains_design = ::xclbin::get_axlf_section(xclbin.get_axlf(), BITSTREAM) != nullptr;
  return options.board->cached_buffers && !contains_design ? check_fabric(SystemFiles::from_environment()) : Status();
}

Status load_xclbin(const XrtOptions& options, xrt::device& device, const xrt::xclbin& xclbin) {
  if (!options.load_xclbin && device.get_xclbin_uuid() != xclbin.get_uuid())
    return Status(
        Code::kUnavailable,
        fmt::format("device {} runs xclbin {}, expected {} ({}); load this xclbin, or set XrtOptions::load_xclbin",
                    options.device, device.get_xclbin_uuid().to_string(), xclbin.get_uuid().to_string(),
                    options.xclbin.string()));
  NESTRT_RETURN_IF_ERROR(check_design(options, xclbin));
  device.load_xclbin(xclbin);  // if the device already runs it, XRT only reads its contents
  return {};
}

// XRT for Zynq does not prevent two processes from using the same registers, so a lock does. evta:uio uses the same
// lock name for the same registers. A card's address is appended to the name.
Result<DeviceLock> lock_accelerator(const OpenedDevice& opened) {
  NESTRT_ASSIGN_OR_RETURN(const xrt::xclbin::ip unit, find_first_unit(opened));
  std::string name = fmt::format("evta at {:#x}", unit.get_base_address());
  if (!opened.options.board->cached_buffers) name += " of " + opened.device.get_info<xrt::info::device::bdf>();
  return DeviceLock::acquire(SystemFiles::from_environment(), name, opened.options.wait);
}

bool may_be_coherent(const XrtOptions& options) {
  return options.board->cached_buffers && options.configuration != nullptr;
}

// Ignores an accelerator that does not work, because the unit's own probe reports it.
void look_for_coherence(const XrtOptions& options, XrtTransport& transport) {
  const Result<bool> coherent = is_coherent(transport, *options.configuration);
  if (!coherent) return;
  if (*coherent) transport.set_coherent();
  log(LogLevel::kDebug,
      fmt::format("the accelerator's port is {}",
                  *coherent ? "coherent: caches need no maintenance" : "not coherent: caches need maintenance"));
}

Result<std::unique_ptr<Transport>> open(const XrtOptions& options) {
  xrt::device device(options.device);
  const xrt::xclbin xclbin(options.xclbin.string());
  const OpenedDevice opened{options, device, xclbin};
  NESTRT_ASSIGN_OR_RETURN(DeviceLock lock, lock_accelerator(opened));
  NESTRT_RETURN_IF_ERROR(load_xclbin(options, device, xclbin));
  NESTRT_ASSIGN_OR_RETURN(OpenedUnit unit, open_compute_unit(opened));
  auto transport = std::make_unique<XrtTransport>(std::move(device), options.device, *options.board,
                                                  std::move(unit.bank), std::move(unit.unit), std::move(lock));
  NESTRT_RETURN_IF_ERROR(transport->prepare());
  if (may_be_coherent(options)) look_for_coherence(options, *transport);
  return std::unique_ptr<Transport>(std::move(transport));
}

}  // namespace

Result<std::unique_ptr<Transport>> make_xrt_transport(const XrtOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<Transport>> {
    NESTRT_RETURN_IF_ERROR(check_options(options));
    const std::string what = fmt::format("opening device {} with {}", options.device, options.xclbin.string());
    return xrt_call(what, Code::kUnavailable, [&] { return open(options); });
  });
}

}  // namespace nestrt::evta
