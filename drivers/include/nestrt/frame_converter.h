// SPDX-License-Identifier: Apache-2.0
// FrameConverter: converts camera frames to an input of a plan, as the plan's preprocessing specifies.
//
//   auto converter = nestrt::FrameConverter::create(*plan, 0, units);
//   nestrt::Frame frame{.format = nestrt::PixelFormat::kNv12, .width = 640, .height = 480, .planes = {pixels}};
//   nestrt::Status status = converter->convert(frame, {nestrt::DataType::kF32, shape, values});
//
// Model::run() accepts frames directly (nestrt/model.h).
#pragma once

#include <cstddef>
#include <memory>

#include "nestrt/frame.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "nestrt/session.h"
#include "nestrt/tensor.h"
#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

// Converts frames to one input of a plan: colours, crop, resize or letterbox, mean and scale, in one pass.
//
// Result: pixels equal those of `nestrt run --image` for the same RGB image, bit for bit, on every instruction set and
// for any number of threads. If the plan specifies no preprocessing, which only u8 and s8 inputs allow, pixels are
// resized to the input and keep their values; s8 saturates at 127.
// Threads: work is distributed over the threads of the units' host, if any, and the calling thread.
// Threading: one thread at a time.
// Memory: convert() allocates scratch memory if the frame size after cropping differs from the previous one.
class FrameConverter {
 public:
  // Errors: kInvalidArgument if the input does not exist, is not an image (f32, u8 or s8 of [N, C, H, W] or
  // [N, H, W, C] with 1 or 3 channels), or is f32 and the plan specifies no preprocessing.
  static Result<FrameConverter> create(const Plan& plan, size_t input, const UnitList& units);
  FrameConverter(FrameConverter&& other) noexcept;
  FrameConverter& operator=(FrameConverter&& other) noexcept;
  ~FrameConverter();

  // Writes image `index` of `input`, a tensor of the input's type and shape. Errors: kInvalidArgument (the message
  // names the wrong field of the frame), kOutOfMemory.
  Status convert(const Frame& frame, const TensorView& input, size_t index);
  Status convert(const Frame& frame, const TensorView& input) { return convert(frame, input, 0); }

 private:
  struct State;
  explicit FrameConverter(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace nestrt
