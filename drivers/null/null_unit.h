// The null unit: the smallest complete driver, of which a new one is made (README.md). Its programs copy bytes. It is
// compiled for tests and is no part of libnestrt.
#pragma once

#include <memory>

#include "drivers/null/device.h"
#include "nestrt/driver/unit.h"

namespace nestrt::null {

// The unit is called null0, null1, ... Errors: kUnavailable, where no thread is to be had or the device does not work.
Result<std::shared_ptr<Unit>> open_null_unit(int instance = 0,
                                             std::shared_ptr<Device> device = std::make_shared<Device>());

}  // namespace nestrt::null
