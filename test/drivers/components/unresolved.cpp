// SPDX-License-Identifier: Apache-2.0
// libnestrt_unresolved: a component that needs a function that its libraries lack, like a component that was built
// against other versions of them.
#include "drivers/evta/driver/component.h"

extern "C" const nestrt::drivers::Component* nestrt_function_of_another_version();

extern "C" __attribute__((visibility("default"))) const nestrt::drivers::Component* nestrt_evta_component() {
  return nestrt_function_of_another_version();
}
