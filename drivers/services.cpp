// SPDX-License-Identifier: Apache-2.0
// The services that libnestrt provides to the runtime.
#include "runtime/core/services.h"

#include "kernels/registry.h"
#include "scheduler/scheduler.h"

namespace nestrt {

const Services& services() {
  static const Services kServices{kernels::operators(), &scheduler::scheduler()};
  return kServices;
}

}  // namespace nestrt
