// ShadowMemory: what a strict simulation knows of every element of one memory: whether it has a defined value, and
// which instructions wrote and read it last. A value that was never written and an access that no token orders after
// the one it depends on are errors, whatever the timing would have made of them.
#pragma once

#include <string>
#include <vector>

#include "drivers/evta/execution_order.h"

namespace nestrt::evta {

// Who accesses: an instruction in its place in the order.
struct Accessor {
  Module module = Module::kLoad;
  ModuleCounts before = {};
};

class ShadowMemory {
 public:
  ShadowMemory() = default;
  ShadowMemory(std::string name, size_t elements, bool defined);

  // Errors: kDeviceFault where the value is undefined, or the other access is concurrent.
  Status read(const Accessor& accessor, size_t element);
  Status write(const Accessor& accessor, size_t element);
  // Written, but with a value that means nothing.
  Status write_undefined(const Accessor& accessor, size_t element);

 private:
  struct Element {
    bool defined = false;
    Module writer = Module::kLoad;
    uint32_t written = 0;  // number of the writing instruction in its module, from 1; 0 for none
    ModuleCounts read = {};
  };

  Status check_order(const Accessor& accessor, Module other, uint32_t number, size_t element, const char* what) const;

  std::string name_;
  std::vector<Element> elements_;
};

}  // namespace nestrt::evta
