// SPDX-License-Identifier: Apache-2.0
// ShadowMemory: state of every element of one memory in a strict simulation: whether its value is defined, and which
// instructions last wrote and read it. Reading an undefined value, and an access that no token orders after the one
// that it depends on, are errors independent of timing.
#pragma once

#include <string>
#include <vector>

#include "drivers/evta/execution_order.h"

namespace nestrt::evta {

// The accessing instruction and its position in the order.
struct Accessor {
  Module module = Module::kLoad;
  ModuleCounts before = {};
};

class ShadowMemory {
 public:
  ShadowMemory() = default;
  ShadowMemory(std::string name, size_t elements, bool defined);

  // Record an access. Errors: kDeviceFault (the value is undefined, or the other access is concurrent).
  Status read(const Accessor& accessor, size_t element);
  Status write(const Accessor& accessor, size_t element);
  // Records a write of an undefined value.
  Status write_undefined(const Accessor& accessor, size_t element);

 private:
  struct Element {
    bool defined = false;
    Module writer = Module::kLoad;
    uint32_t written = 0;  // index of the writing instruction in its module, from 1; 0: not written
    ModuleCounts read = {};
  };

  Status check_order(const Accessor& accessor, Module other, uint32_t number, size_t element, const char* what) const;

  std::string name_;
  std::vector<Element> elements_;
};

}  // namespace nestrt::evta
