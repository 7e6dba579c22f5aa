// SPDX-License-Identifier: Apache-2.0
// Checks whether XRT will find its own libraries, which it loads by path on first use.
#pragma once

#include "nestrt/status.h"

namespace nestrt::evta {

// Errors: kUnavailable, which names the variable to set.
Status check_xrt_installation();

}  // namespace nestrt::evta
