// SPDX-License-Identifier: Apache-2.0
// The memory of a frame: validates the caller's description and locates the rows.
#pragma once

#include "kernels/common/frame/frame_rows.h"
#include "nestrt/frame.h"
#include "nestrt/result.h"

namespace nestrt {

inline constexpr int32_t kMaxFrameSide = 32768;

// A validated frame; planes, strides and the used part are filled in.
class FrameLayout {
 public:
  // Errors: kInvalidArgument; the message contains the wrong field, the expected and the actual value.
  static Result<FrameLayout> of(const Frame& frame);

  // The used part.
  const FrameRect& part() const { return frame_.crop; }
  // Returns row `y` of the used part. Its pixels start at part().left.
  kernels::FrameRow row(int64_t y) const;

 private:
  explicit FrameLayout(const Frame& frame) : frame_(frame) {}

  Frame frame_;
};

}  // namespace nestrt
