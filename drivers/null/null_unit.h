// SPDX-License-Identifier: Apache-2.0
// The null unit: the smallest complete driver and the template for new ones (README.md). Its programs copy bytes. It is
// compiled for tests only and is not part of libnestrt.
#pragma once

#include <memory>

#include "drivers/null/device.h"
#include "nestrt/driver/unit.h"

namespace nestrt::null {

// The unit's name is null0, null1, ... Errors: kUnavailable if no thread can be started or the device does not work.
Result<std::shared_ptr<Unit>> open_null_unit(int instance = 0,
                                             std::shared_ptr<Device> device = std::make_shared<Device>());

}  // namespace nestrt::null
