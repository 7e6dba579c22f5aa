// SPDX-License-Identifier: Apache-2.0
// Services: implementations from higher layers that the runtime uses only through their interfaces. Every library
// defines services() once; libnestrt does so in drivers/services.cpp, which together with drivers/open_units.cpp is its
// composition root.
#pragma once

#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {
class Scheduler;  // nestrt/driver/schedule.h
}

namespace nestrt {

class OperatorTable;

struct Services {
  const OperatorTable& operators;
  const Scheduler* scheduler;  // null: sessions run branches in the plan's order
};

// Returns the same object on every call and never fails. May be called from any thread.
const Services& services();

}  // namespace nestrt
