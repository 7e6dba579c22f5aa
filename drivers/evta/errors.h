// SPDX-License-Identifier: Apache-2.0
// Errors used in several parts of the driver.
#pragma once

#include <string>
#include <utility>

#include "nestrt/status.h"

namespace nestrt::evta {

inline Status invalid_program(std::string message) { return Status(Code::kInvalidPlan, std::move(message)); }
inline Status device_fault(std::string message) { return Status(Code::kDeviceFault, std::move(message)); }

}  // namespace nestrt::evta
