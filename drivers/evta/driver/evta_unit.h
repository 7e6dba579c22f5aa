// EvtaUnit: one EVTA instance as a unit. Runs programs of instructions, one at a time, on a thread of its own.
//
// A program is checked completely when it is prepared; nothing unchecked is ever submitted. A run that fails or misses
// its deadline ends with a Status and puts the unit into quarantine (kUnavailable) until probe() has seen it work.
#pragma once

#include <memory>

#include "drivers/evta/driver/transport.h"
#include "nestrt/driver/unit.h"

namespace nestrt::evta {

struct EvtaOptions {
  const Configuration* configuration = &kConfigurations[0];  // one of kConfigurations
  int instance = 0;                                          // the unit is called evta0, evta1, ...
};

// Errors: kUnavailable where the accelerator does not work.
Result<std::shared_ptr<Unit>> open_evta_unit(const EvtaOptions& options, std::unique_ptr<Transport> transport);

}  // namespace nestrt::evta
