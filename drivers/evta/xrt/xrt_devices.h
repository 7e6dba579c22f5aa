// SPDX-License-Identifier: Apache-2.0
// XRT queries made before a device is opened, used by the list of devices and the transport.
#pragma once

#include <cstdint>

#include "nestrt/result.h"

namespace nestrt::evta {

// Errors: kUnavailable, with the remedy, if XRT cannot enumerate devices.
Result<uint32_t> count_xrt_devices();

}  // namespace nestrt::evta
