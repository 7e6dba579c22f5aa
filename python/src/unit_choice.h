// SPDX-License-Identifier: Apache-2.0
// Keywords of Python that say where a plan may run, as the commands have them.
#pragma once

#include <nanobind/nanobind.h>

#include "tools/nestrt/load.h"

namespace nestrt::python {

// Of units, threads, cpus, pace, xclbin, device, plugin, isolate, schedule, split, partition, cost_file, check_every.
command::UnitChoice unit_choice(const nanobind::dict& values);

// What a keyword states; unchanged where it is not there or None.
template <typename T>
void read(const nanobind::dict& values, const char* name, T& value) {
  if (!values.contains(name) || values[name].is_none()) return;
  try {
    value = nanobind::cast<T>(values[name]);
  } catch (const std::bad_cast&) {
    const auto came = nanobind::cast<std::string>(nanobind::repr(values[name]));
    throw nanobind::type_error((std::string(name) + ": it does not take " + came).c_str());
  }
}

}  // namespace nestrt::python
