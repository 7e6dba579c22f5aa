// Component: a library of its own with code that libnestrt does without until it is asked for: how accelerators are
// reached ("sim" simulates them, "xrt" drives those of boards through XRT), and "vendor", which runs plug-ins.
// libnestrt so depends on nothing that only some boards have, and carries nothing that only some users want.
//
// What passes between the two are C++ objects: a component belongs to the version of libnestrt that it was built with,
// and another one's is refused. It is taken from where nestrt is installed, or from the folder that the environment
// variable NESTRT_COMPONENTS names (not in programs with more rights than their user), and stays loaded.
#pragma once

#include <string>
#include <string_view>

#include "nestrt/result.h"

namespace nestrt::drivers {

// What every kind of component begins with.
struct Component {
  std::string_view version;  // nestrt's
};

// What a component exports, with C's linkage, under the name of its kind.
using ComponentEntry = const Component* (*)();

// libnestrt_<name>.so, by its `entry`, which says of which kind it is. Safe from any thread. Errors: kUnavailable where
// it is not installed or cannot be loaded, kIncompatible where it is another version's.
Result<const Component*> find_component(std::string_view name, const char* entry);

// The path of a file that is installed with components. Errors: kUnavailable.
Result<std::string> find_component_file(const std::string& name);

}  // namespace nestrt::drivers
