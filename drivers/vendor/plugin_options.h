// SPDX-License-Identifier: Apache-2.0
// Options that a user gives for the devices of a plug-in (UnitOptions::plugin_options).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/result.h"
#include "nestrt/vendor.h"

namespace nestrt::vendor {

struct PluginOption {
  std::string name, value;
};

// Returns the options of device `instance` in a list "NAME=VALUE,INSTANCE:NAME=VALUE,...". An entry without INSTANCE
// applies to all devices; the last entry with a name takes precedence. Errors: kInvalidArgument.
Result<std::vector<PluginOption>> parse_plugin_options(std::string_view list, uint32_t instance);

// The result refers to `options`.
std::vector<nestrt_vendor_option> to_c(const std::vector<PluginOption>& options);

}  // namespace nestrt::vendor
