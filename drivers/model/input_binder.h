// SPDX-License-Identifier: Apache-2.0
// Binds the inputs of Model and ModelPipeline to those of a plan: tensors in place, images and frames converted.
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

// The inputs of a session's run: the caller's tensors, and converted images. Reused by later runs.
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

// Binds inputs to the first shape of a plan that they match. Each object has its own memory for converted images, which
// is allocated by the first conversion for a shape. Requires: the plan and the units outlive it.
class ShapedInputs {
 public:
  ShapedInputs(const Plan& plan, const UnitList& units);

  // Binds inputs in any order (ModelInput::name()), and returns the index of the shape, or 0 if the plan has only one.
  // Errors: kInvalidArgument if an input is unknown, missing or given twice, or no shape matches.
  Result<size_t> bind(std::span<const ModelInput> inputs);
  // Returns the inputs bound to a shape, in the plan's order. Valid until the next call of bind().
  std::span<const ConstTensorView> views(size_t shape) const { return bound_[shape].views; }

 private:
  Status put_in_order(std::span<const ModelInput> inputs);

  const Plan& plan_;
  const UnitList& units_;
  std::vector<BoundInputs> bound_;          // per shape
  std::vector<const ModelInput*> ordered_;  // in the plan's order
};

// Returns a shape of the plan; the plan itself if it has only one.
const Plan& shape_of_plan(const Plan& plan, size_t index);

}  // namespace nestrt
