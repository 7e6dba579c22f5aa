// SPDX-License-Identifier: Apache-2.0
// Finds out why XRT does not find its own libraries, which it loads by path on first use.
#pragma once

#include <string>

#include "nestrt/status.h"

namespace nestrt::evta {

// Returns which file XRT 2 loads and how to make it available, or an empty string if the file exists. Newer versions
// also search elsewhere, so use this as advice after a failure, not as a check before XRT is used.
std::string xrt_installation_advice();

// Returns `failure` with that advice appended to its message.
Status with_installation_advice(const Status& failure);

}  // namespace nestrt::evta
