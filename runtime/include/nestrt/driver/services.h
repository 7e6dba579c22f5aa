// Services: what the runtime asks of the parts above it. The runtime knows them by their interfaces only; whoever
// builds a library out of parts defines services() once: libnestrt in drivers/services.cpp, which is its composition
// root together with drivers/open_units.cpp.
#pragma once

#include "nestrt/driver/visibility.h"

namespace NESTRT_PUBLIC nestrt {

class OperatorTable;
class Scheduler;

struct Services {
  const OperatorTable& operators;
  const Scheduler* scheduler;  // null: sessions run branches in the plan's order
};

// Never fails; the same on every call. From any thread.
const Services& services();

}  // namespace nestrt
