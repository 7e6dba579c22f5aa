// SPDX-License-Identifier: Apache-2.0
// libnestrt_newer: a component that needs a newer libstdc++ than the system has, as Debian's does on PetaLinux 2022.
#include "drivers/evta/driver/component.h"

extern "C" int nestrt_function_of_newer_libstdcxx();

extern "C" __attribute__((visibility("default"))) const nestrt::drivers::Component* nestrt_evta_component() {
  static_cast<void>(nestrt_function_of_newer_libstdcxx());
  return nullptr;
}
