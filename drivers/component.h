// SPDX-License-Identifier: Apache-2.0
// Component: a shared library that libnestrt loads on demand. Components are the transports to accelerators ("sim"
// simulates them, "xrt" drives boards through XRT, "uio" without it), and "vendor", which runs plug-ins. This way
// libnestrt does not depend on software that exists only on some boards or that only some users need. C++ objects cross
// the interface, so a component belongs to one version of libnestrt and is rejected by others. It is loaded from the
// installation of nestrt, or from the folder in the environment variable NESTRT_COMPONENTS (ignored in programs with
// elevated privileges), and stays loaded.
#pragma once

#include <string>
#include <string_view>

#include "nestrt/result.h"

namespace nestrt::drivers {

// The first members of every kind of component.
struct Component {
  std::string_view version;  // version of nestrt
};

// The function that a component exports, with C linkage, under a name specific to its kind.
using ComponentEntry = const Component* (*)();

// Loads libnestrt_<name>.so and calls its `entry`, which identifies the kind. May be called from any thread. Errors:
// kUnavailable if it is not installed or cannot be loaded, kIncompatible if it belongs to another version.
Result<const Component*> find_component(std::string_view name, const char* entry);

// Returns the path of a file that is installed with components. Errors: kUnavailable.
Result<std::string> find_component_file(const std::string& name);

}  // namespace nestrt::drivers
