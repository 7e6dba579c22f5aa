// SPDX-License-Identifier: Apache-2.0
// libnestrt_blank: a library with the entry point of a component but no component.
#include "drivers/evta/driver/component.h"

extern "C" __attribute__((visibility("default"))) const nestrt::drivers::Component* nestrt_evta_component() {
  return nullptr;
}
