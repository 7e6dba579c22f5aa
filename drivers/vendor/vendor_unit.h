// SPDX-License-Identifier: Apache-2.0
// A device of a vendor's plug-in as a unit. Part of the component "vendor", not of libnestrt.
#pragma once

#include <memory>
#include <string_view>

#include "drivers/vendor/device.h"
#include "drivers/vendor/plugin.h"
#include "nestrt/driver/unit.h"

namespace nestrt::vendor {

// The unit's name is its kind followed by `instance`: npu0, npu1, ..., or k230:0 if the kind ends with a digit. `kind`:
// required kind of the device; empty accepts any. Errors: kUnavailable if the device does not work; kInvalidArgument
// for another kind.
Result<std::shared_ptr<Unit>> make_vendor_unit(std::shared_ptr<Device> device, uint32_t instance,
                                               std::string_view kind = {});

// Opens a device of a plug-in in this process. Errors: as for make_vendor_unit() and PluginDevice::open().
Result<std::shared_ptr<Unit>> open_vendor_unit(std::shared_ptr<const Plugin> plugin, uint32_t instance,
                                               std::string_view kind = {});

}  // namespace nestrt::vendor
