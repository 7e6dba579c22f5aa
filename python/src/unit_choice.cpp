// SPDX-License-Identifier: Apache-2.0
#include "python/src/unit_choice.h"

#include "python/src/errors.h"
#include "python/src/text.h"

namespace nestrt::python {

command::UnitChoice unit_choice(const nanobind::dict& values) {
  command::UnitChoice choice;
  read(values, "units", choice.units);
  read(values, "cpus", choice.cpus);
  read(values, "threads", choice.threads);
  read(values, "pace", choice.pace);
  read(values, "xclbin", choice.xclbin);
  read(values, "device", choice.device);
  read(values, "device_wait", choice.device_wait);
  read(values, "plugin", choice.plugin);
  read(values, "plugin_options", choice.plugin_options);
  read(values, "isolate", choice.isolate);
  read(values, "split", choice.split_channels);
  read(values, "partition", choice.partition);
  read(values, "cost_file", choice.cost_file);
  read(values, "check_every", choice.check_every);
  std::string method;
  read(values, "schedule", method);
  if (!method.empty()) choice.method = checked(command::parse_schedule_method(method), "schedule");
  return choice;
}

}  // namespace nestrt::python
