// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/component.h"

namespace nestrt::evta {

Result<const Component*> find_component(std::string_view name) {
#ifdef NESTRT_STATIC
  if (name == "sim") return &simulator_component();
  if (name == "uio") return &uio_component();
#endif
  NESTRT_ASSIGN_OR_RETURN(const drivers::Component* const found, drivers::find_component(name, kComponentEntry));
  return static_cast<const Component*>(found);
}

}  // namespace nestrt::evta
