// SPDX-License-Identifier: Apache-2.0
// Python keywords that select the units of a plan, like the options of the commands.
#pragma once

#include <nanobind/nanobind.h>

#include "tools/nestrt/load.h"

namespace nestrt::python {

// Reads units, threads, cpus, pace, xclbin, device, plugin, plugin_options, isolate, schedule, split, partition,
// cost_file and check_every.
command::UnitChoice unit_choice(const nanobind::dict& values);

// Reads a keyword into `value`, which stays unchanged if the keyword is absent or None.
template <typename T>
void read(const nanobind::dict& values, const char* name, T& value) {
  if (!values.contains(name) || values[name].is_none()) return;
  try {
    value = nanobind::cast<T>(values[name]);
  } catch (const std::bad_cast&) {
    const auto actual = nanobind::cast<std::string>(nanobind::repr(values[name]));
    throw nanobind::type_error((std::string(name) + ": invalid value " + actual).c_str());
  }
}

}  // namespace nestrt::python
