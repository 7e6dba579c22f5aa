// What both the list of devices and the transport ask of XRT before a device is opened.
#pragma once

#include <cstdint>

#include "nestrt/result.h"

namespace nestrt::evta {

// Errors: kUnavailable where XRT cannot look, with what to do.
Result<uint32_t> count_xrt_devices();

}  // namespace nestrt::evta
