// SPDX-License-Identifier: Apache-2.0
// libnestrt_xrt: the component for accelerators on boards driven through XRT.
#include "drivers/evta/driver/component.h"
#include "drivers/evta/xrt/xrt_transport.h"
#include "runtime/platform/environment.h"

namespace nestrt::evta {
namespace {

std::string chosen(std::string_view asked, const char* variable, const char* otherwise) {
  if (!asked.empty()) return std::string(asked);
  const std::string value = trusted_variable(variable);
  return value.empty() ? otherwise : value;
}

Result<std::unique_ptr<Transport>> make_transport(const TransportRequest& request) {
  XrtOptions options;
  options.board = &attached_xrt_board(SystemFiles::from_environment());
  options.device = chosen(request.device, "NESTRT_DEVICE", "0");
  options.xclbin = chosen(request.bitstream, "NESTRT_XCLBIN", "");
  options.instance = request.instance;
  options.wait = request.wait;
  options.configuration = request.configuration;
  if (options.xclbin.empty())
    return Status(Code::kUnavailable,
                  "the board's xclbin is not specified: use --xclbin, UnitOptions::xclbin or NESTRT_XCLBIN");
  return make_xrt_transport(options);
}

Result<std::vector<Accelerator>> list() {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<XrtDevice> devices, xrt_devices());
  std::vector<Accelerator> accelerators;
  for (const XrtDevice& device : devices)
    accelerators.push_back(
        {device.bdf.empty() ? device.index : device.bdf, device.shell, device.xclbin, device.usable});
  return accelerators;
}

constexpr Component kComponent = {{NESTRT_VERSION}, make_transport, list};

}  // namespace
}  // namespace nestrt::evta

extern "C" __attribute__((visibility("default"))) const nestrt::drivers::Component* nestrt_evta_component() {
  return &nestrt::evta::kComponent;
}
