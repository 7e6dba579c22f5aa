// SPDX-License-Identifier: Apache-2.0
// libnestrt_vendor: the component for vendors' plug-ins.
#include "drivers/vendor/component.h"

#include "drivers/vendor/isolation/isolated_device.h"
#include "drivers/vendor/vendor_unit.h"

namespace nestrt::vendor {
namespace {

Result<std::shared_ptr<Unit>> open(std::string_view file, std::string_view kind, uint32_t instance, bool is_isolated,
                                   std::string_view options) {
  NESTRT_ASSIGN_OR_RETURN(auto parsed, parse_plugin_options(options, instance));
  if (is_isolated) {
    NESTRT_ASSIGN_OR_RETURN(auto device, IsolatedDevice::open(std::string(file), instance, {}, parsed));
    return make_vendor_unit(std::move(device), instance, kind);
  }
  NESTRT_ASSIGN_OR_RETURN(auto plugin, load_plugin(std::string(file), std::move(parsed)));
  return open_vendor_unit(std::move(plugin), instance, kind);
}

constexpr Component kComponent = {{NESTRT_VERSION}, open};

}  // namespace
}  // namespace nestrt::vendor

extern "C" __attribute__((visibility("default"))) const nestrt::drivers::Component* nestrt_vendor_component() {
  return &nestrt::vendor::kComponent;
}
