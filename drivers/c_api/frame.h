// SPDX-License-Identifier: Apache-2.0
// Camera frames of C callers.
#pragma once

#include <cstdint>

#include "nestrt/frame.h"
#include "nestrt/nestrt.h"
#include "nestrt/result.h"

namespace nestrt::c_api {

// Returns the frame that the arguments of nestrt_model_run_frame() describe. Errors: kInvalidArgument.
Result<Frame> frame_of(nestrt_frame_format format, int64_t width, int64_t height, const uint8_t* const* planes,
                       const int64_t* row_bytes, const int64_t* crop);

}  // namespace nestrt::c_api
