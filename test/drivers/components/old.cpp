// SPDX-License-Identifier: Apache-2.0
// libnestrt_old: a component of another version.
#include "drivers/evta/driver/component.h"

namespace {

constexpr nestrt::evta::Component kComponent = {{"0.0.0-old"}, nullptr, nullptr};

}  // namespace

extern "C" __attribute__((visibility("default"))) const nestrt::drivers::Component* nestrt_evta_component() {
  return &kComponent;
}
