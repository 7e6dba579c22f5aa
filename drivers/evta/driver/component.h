// Component: a library of its own that reaches accelerators in its own way: "sim" simulates them, "xrt" drives those of
// boards through XRT. It is loaded when a unit is asked for, so that libnestrt depends on nothing that only some boards
// have, and carries nothing that only some users want.
//
// What passes between the two are C++ objects: a component belongs to the version of libnestrt that it was built with,
// and another one's is refused. It is taken from where nestrt is installed, or from the folder that the environment
// variable NESTRT_COMPONENTS names (not in programs with more rights than their user), and stays loaded.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

struct Component {
  std::string_view version;  // nestrt's
  // Errors: kUnavailable where there is no such accelerator, and why.
  Result<std::unique_ptr<Transport>> (*make_transport)(const TransportRequest& request);
  // Errors: kUnavailable where it cannot look, and why.
  Result<std::vector<Accelerator>> (*list)();
};

// What a component exports, with C's linkage.
using ComponentEntry = const Component* (*)();
inline constexpr char kComponentEntry[] = "nestrt_evta_component";

// `name` is "sim" or "xrt". Safe from any thread. Errors: kUnavailable where it is not installed or cannot be loaded,
// kIncompatible where it is another version's.
Result<const Component*> find_component(std::string_view name);

}  // namespace nestrt::evta
