// A device of a vendor's plug-in as a unit. Compiled into the component "vendor", and no part of libnestrt.
#pragma once

#include <memory>
#include <string_view>

#include "drivers/vendor/device.h"
#include "drivers/vendor/plugin.h"
#include "nestrt/driver/unit.h"

namespace nestrt::vendor {

// The unit is called by its kind and `instance`: npu0, npu1, ... `kind`, unless empty: what the device has to be.
// Errors: kUnavailable, where the device does not work; kInvalidArgument for one of another kind.
Result<std::shared_ptr<Unit>> make_vendor_unit(std::shared_ptr<Device> device, uint32_t instance,
                                               std::string_view kind = {});

// Of a plug-in in this process. Errors: those of PluginDevice::open(), too.
Result<std::shared_ptr<Unit>> open_vendor_unit(std::shared_ptr<const Plugin> plugin, uint32_t instance,
                                               std::string_view kind = {});

}  // namespace nestrt::vendor
