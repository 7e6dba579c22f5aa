// SPDX-License-Identifier: Apache-2.0
// libnestrt_uio: the component for accelerators on boards driven without XRT.
#include "drivers/evta/driver/component.h"
#include "drivers/evta/board/fabric.h"
#include "drivers/evta/uio/board_checks.h"
#include "drivers/evta/uio/design_loader.h"
#include "drivers/evta/uio/uio_devices.h"
#include "runtime/platform/environment.h"

namespace nestrt::evta {
namespace {

std::string chosen_device(std::string_view asked) {
  return asked.empty() ? trusted_variable("NESTRT_DEVICE") : std::string(asked);
}

UioOptions options_of(const TransportRequest& request) {
  UioOptions options;
  options.device = chosen_device(request.device);
  options.instance = request.instance;
  options.wait = request.wait;
  options.configuration = request.configuration;
  return options;
}

Result<std::unique_ptr<Transport>> make_transport(const TransportRequest& request) {
  return make_uio_transport(options_of(request));
}

std::vector<BoardCheck> check_board(const TransportRequest& request, bool accesses_registers) {
  return check_uio_board(options_of(request), accesses_registers);
}

Result<std::vector<BoardCheck>> load(const DesignFiles& files, std::chrono::milliseconds wait) {
  return load_design(SystemFiles::from_environment(), files, {.owner = wait});
}

Result<std::vector<Accelerator>> list() {
  const SystemFiles system = SystemFiles::from_environment();
  const std::vector<UioAccelerator> found = find_uio_accelerators(system);
  if (found.empty()) return find_uio_accelerator(system, "", 0).error();
  std::vector<Accelerator> accelerators;
  for (const UioAccelerator& accelerator : found)
    accelerators.push_back({accelerator.device, board_model(system), "", check_fabric(system)});
  return accelerators;
}

constexpr Component kComponent = {{NESTRT_VERSION}, make_transport, list, check_board, load};

}  // namespace

const Component& uio_component() { return kComponent; }

}  // namespace nestrt::evta

#ifndef NESTRT_STATIC
extern "C" __attribute__((visibility("default"))) const nestrt::drivers::Component* nestrt_evta_component() {
  return &nestrt::evta::uio_component();
}
#endif
