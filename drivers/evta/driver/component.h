// SPDX-License-Identifier: Apache-2.0
// Component: a library that provides access to accelerators (drivers/component.h). "sim" simulates them; "xrt" drives
// accelerators on boards through XRT, "uio" without it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/component.h"
#include "drivers/evta/driver/transport.h"

namespace nestrt::evta {

struct TransportRequest {
  const Configuration* configuration = nullptr;
  int instance = 0;  // index among the units of the same kind
  double pace = 0;   // UnitOptions::pace
  // UnitOptions::xclbin and device.
  std::string_view bitstream = {};
  std::string_view device = {};
  std::chrono::milliseconds wait{0};  // UnitOptions::device_wait
};

// An accelerator that a component finds on this machine.
struct Accelerator {
  std::string device;     // as in TransportRequest::device
  std::string platform;   // platform of the board, or shell of the card
  std::string bitstream;  // the loaded bitstream; empty if unknown
  Status usable;          // ok, or the reason why it cannot be used
};

// The result of one step of checking a board's set-up.
struct BoardCheck {
  std::string what;   // "fabric", "memory pool"
  std::string found;  // if ok: what was found
  Status status;      // otherwise what is wrong, and the remedy
  // If ok: what is unusual but may be intended, and the remedy if it is not. May be empty.
  std::string advice = {};
};

// Files below /lib/firmware that put a design into the fabric. At least one name is required.
struct DesignFiles {
  std::string_view bitstream = {}, overlay = {};
};

struct Component : drivers::Component {
  // Errors: kUnavailable, with the reason, if the accelerator does not exist.
  Result<std::unique_ptr<Transport>> (*make_transport)(const TransportRequest& request);
  // Errors: kUnavailable, with the reason, if the component cannot enumerate accelerators.
  Result<std::vector<Accelerator>> (*list)();
  // Checks the set-up of a board; accesses registers on request only, and only if everything else is in order. The
  // configuration is required. A null function if the component has no such checks.
  std::vector<BoardCheck> (*check_board)(const TransportRequest& request, bool accesses_registers) = nullptr;
  // Loads a design and returns the steps; the last one fails if the design is not loaded. A null function if the
  // component cannot load designs. Errors: kInvalidArgument, kNotFound, for files that cannot be loaded.
  Result<std::vector<BoardCheck>> (*load_design)(const DesignFiles& files, std::chrono::milliseconds wait) = nullptr;
};

// The components that statically linked programs contain.
const Component& simulator_component();
const Component& uio_component();

inline constexpr char kComponentEntry[] = "nestrt_evta_component";

// `name` is "sim", "xrt" or "uio". Errors: as for drivers::find_component().
Result<const Component*> find_component(std::string_view name);

}  // namespace nestrt::evta
