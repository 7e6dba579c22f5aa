// SPDX-License-Identifier: Apache-2.0
// Binds the inputs of Model::run() to those of a plan: tensors in place, images and frames converted.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "nestrt/frame_converter.h"
#include "nestrt/model.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt {

// An input converted from images.
struct ConvertedInput {
  std::optional<FrameConverter> converter;
  AlignedMemory values;
};

// The inputs passed to Session::run(): the caller's tensors, and converted images. Reused by later runs.
struct BoundInputs {
  std::vector<ConstTensorView> views;
  std::vector<ConvertedInput> converted;  // per input
};

class InputBinder {
 public:
  InputBinder(const Plan& plan, const UnitList& units, BoundInputs& bound)
      : plan_(plan), units_(units), bound_(bound) {}

  // Requires: one input per input of the plan, in its order. Errors: kInvalidArgument if one does not match.
  Status bind(std::span<const ModelInput* const> inputs);

 private:
  Status bind_input(size_t index, const ModelInput& input);
  Result<TensorView> prepare(size_t index);
  Status convert_frame(size_t index, const Frame& frame);
  Status convert_images(size_t index, const ModelInput& input);

  const Plan& plan_;
  const UnitList& units_;
  BoundInputs& bound_;
};

}  // namespace nestrt
