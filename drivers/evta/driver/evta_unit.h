// SPDX-License-Identifier: Apache-2.0
// EvtaUnit: one EVTA instance as a unit. Runs instruction programs one at a time.
//
// A program is checked completely during preparation; unchecked programs are never submitted. A run that fails or
// misses its deadline ends with an error Status and quarantines the unit (kUnavailable) until probe() succeeds.
#pragma once

#include <memory>

#include "drivers/evta/driver/transport.h"
#include "nestrt/driver/unit.h"

namespace nestrt::evta {

struct EvtaOptions {
  const Configuration* configuration = &kConfigurations[0];  // from read_configuration()
  int instance = 0;                                          // for the unit's name: evta0, evta1, ...
};

// Errors: kUnavailable if the accelerator does not work.
Result<std::shared_ptr<Unit>> open_evta_unit(const EvtaOptions& options, std::unique_ptr<Transport> transport);

}  // namespace nestrt::evta
