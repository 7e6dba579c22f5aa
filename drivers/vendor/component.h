// SPDX-License-Identifier: Apache-2.0
// The component "vendor" (drivers/component.h): libnestrt_vendor.so, which runs vendors' plug-ins.
#pragma once

#include <memory>
#include <string_view>

#include "drivers/component.h"
#include "nestrt/driver/unit.h"

namespace nestrt::vendor {

struct Component : drivers::Component {
  // Opens device number `instance` of the plug-in in `file`, which must provide units of `kind`. If `is_isolated`, the
  // plug-in runs in a separate process. `options`: as for parse_plugin_options(). Errors: as for
  // parse_plugin_options(), load_plugin(), IsolatedDevice::open() and open_vendor_unit().
  Result<std::shared_ptr<Unit>> (*open)(std::string_view file, std::string_view kind, uint32_t instance,
                                        bool is_isolated, std::string_view options);
};

inline constexpr char kComponentEntry[] = "nestrt_vendor_component";

}  // namespace nestrt::vendor
