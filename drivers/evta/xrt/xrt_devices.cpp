// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/xrt/xrt_devices.h"

#include <experimental/xrt_system.h>
#include <xrt/xrt_device.h>

#include <filesystem>
#include <system_error>

#include "drivers/evta/xrt/xrt_errors.h"
#include "drivers/evta/xrt/xrt_installation.h"
#include "drivers/evta/xrt/xrt_transport.h"
#include "drivers/evta/xrt/xrt_version.h"

namespace nestrt::evta {
namespace {

// Checks the files that XRT for Zynq reads without checking that they exist.
Status check_zocl_nodes() {
#if defined(__aarch64__)
  std::error_code error;
  if (!std::filesystem::exists("/dev/dri/by-path", error))
    return Status(Code::kUnavailable,
                  "/dev/dri/by-path does not exist: load zocl, and check that the device tree has the node zyxclmm_drm "
                  "(docs/how-to/zcu102.md)");
#endif
  return {};
}

template <typename Read>
std::string or_empty(Read&& read) {
  std::string text;
  static_cast<void>(xrt_call("querying the device", Code::kUnavailable, [&]() -> Status {
    text = read();
    return {};
  }));
  return text;
}

XrtDevice describe(uint32_t index) {
  XrtDevice result;
  result.index = std::to_string(index);
  result.usable = xrt_call("opening device " + result.index, Code::kUnavailable, [&]() -> Status {
    const xrt::device device(index);
    result.bdf = or_empty([&] { return device.get_info<xrt::info::device::bdf>(); });
    result.shell = or_empty([&] { return device.get_info<xrt::info::device::name>(); });
    result.xclbin = or_empty([&] {
      const xrt::uuid uuid = device.get_xclbin_uuid();
      return uuid ? uuid.to_string() : std::string();
    });
    return {};
  });
  return result;
}

}  // namespace

Result<uint32_t> count_xrt_devices() {
  NESTRT_RETURN_IF_ERROR(check_xrt_version());
  NESTRT_RETURN_IF_ERROR(check_zocl_nodes());
  auto count = xrt_call("looking for devices", Code::kUnavailable,
                        []() -> Result<uint32_t> { return xrt::system::enumerate_devices(); });
  if (!count) return with_installation_advice(count.error());
  return count;
}

Result<std::vector<XrtDevice>> xrt_devices() {
  NESTRT_ASSIGN_OR_RETURN(const uint32_t count, count_xrt_devices());
  return xrt_call("describing devices", Code::kUnavailable, [&]() -> Result<std::vector<XrtDevice>> {
    std::vector<XrtDevice> devices;
    for (uint32_t index = 0; index < count; ++index) devices.push_back(describe(index));
    return devices;
  });
}

}  // namespace nestrt::evta
