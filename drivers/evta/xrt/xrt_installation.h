// Whether XRT will find its own libraries, which it loads by path when it is first used.
#pragma once

#include "nestrt/status.h"

namespace nestrt::evta {

// Errors: kUnavailable, with what to set.
Status check_xrt_installation();

}  // namespace nestrt::evta
