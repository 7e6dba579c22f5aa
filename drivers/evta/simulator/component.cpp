// SPDX-License-Identifier: Apache-2.0
// libnestrt_sim: simulated accelerators as a component.
#include "drivers/evta/driver/component.h"
#include "drivers/evta/simulator/simulator_transport.h"

namespace nestrt::evta {
namespace {

Result<std::unique_ptr<Transport>> make_transport(const TransportRequest& request) {
  SimulatorOptions options;
  options.pace = request.pace;
  if (request.pace > 0) options.profile = find_cycle_profile(kPaceProfile);
  return make_simulator_transport(options);
}

Result<std::vector<Accelerator>> list() { return std::vector<Accelerator>{{"", "simulated", "", {}}}; }

constexpr Component kComponent = {{NESTRT_VERSION}, make_transport, list};

}  // namespace

const Component& simulator_component() { return kComponent; }

}  // namespace nestrt::evta

#ifndef NESTRT_STATIC
extern "C" __attribute__((visibility("default"))) const nestrt::drivers::Component* nestrt_evta_component() {
  return &nestrt::evta::simulator_component();
}
#endif
