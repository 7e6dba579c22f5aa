// Component: a library that reaches accelerators in its own way (drivers/component.h): "sim" simulates them, "xrt"
// drives those of boards through XRT.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/component.h"
#include "drivers/evta/driver/transport.h"

namespace nestrt::evta {

struct TransportRequest {
  const Configuration* configuration = nullptr;
  int instance = 0;  // the unit's, among those of its kind
  double pace = 0;   // UnitOptions::pace
  // UnitOptions::xclbin and device.
  std::string_view bitstream = {};
  std::string_view device = {};
};

// What a component finds on this machine.
struct Accelerator {
  std::string device;     // as TransportRequest::device has it
  std::string platform;   // the board's, or the shell that a card runs
  std::string bitstream;  // what it has loaded; empty where that is not known
  Status usable;          // why it cannot be used
};

struct Component : drivers::Component {
  // Errors: kUnavailable where there is no such accelerator, and why.
  Result<std::unique_ptr<Transport>> (*make_transport)(const TransportRequest& request);
  // Errors: kUnavailable where it cannot look, and why.
  Result<std::vector<Accelerator>> (*list)();
};

inline constexpr char kComponentEntry[] = "nestrt_evta_component";

// `name` is "sim" or "xrt". Errors: those of drivers::find_component().
Result<const Component*> find_component(std::string_view name);

}  // namespace nestrt::evta
