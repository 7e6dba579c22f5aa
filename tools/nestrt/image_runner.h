// SPDX-License-Identifier: Apache-2.0
// Runs a network with one input on image files or on arrays.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/nestrt/load.h"
#include "tools/support/image/image_options.h"
#include "tools/support/text/npy.h"

namespace nestrt::command {

class ImageRunner {
 public:
  // Images are preprocessed as the plan states, or else according to the flags. Errors: kInvalidArgument if the plan
  // does not have exactly one input or contradicts the flags.
  static Result<ImageRunner> create(const std::string& plan_path, const UnitChoice& units,
                                    const tools::ImageFlags& flags);

  // Decodes, preprocesses and runs an image. A .npy file is used unchanged and may omit leading dimensions of one.
  // Warns for the first image if neither the plan nor the flags state the preprocessing.
  Status run(const std::string& path);

  // Returns whether the last input has no NaN. Integer kernels convert NaN to 0.
  bool input_is_numbers() const;

  // Returns the outputs of the last run.
  std::span<const TensorView> outputs() const { return outputs_.views(); }
  // Returns the first output. Requires: gives_classes().
  std::span<const float> scores() const;
  const tools::Array& input() const { return input_; }
  // Returns the position of the last image in the input; empty for an array.
  const std::string& place() const { return place_; }

  // Returns whether the plan's first output is one row of class scores.
  bool gives_classes() const;
  // Errors: kInvalidArgument if gives_classes() is false.
  Status require_classes(const std::string& whose) const;
  int64_t num_classes() const { return plan().outputs()[0].shape.num_elements(); }
  const LoadedPlan& loaded() const { return loaded_; }
  const Plan& plan() const { return *loaded_.plan; }

 private:
  Status read_image(const std::string& path);
  Status read_array(const std::string& path);

  LoadedPlan loaded_;
  TensorSet outputs_;
  Preprocessing preprocessing_;
  std::optional<Preprocessing> options_;
  bool stated_ = false;  // by the plan or the options
  bool remarked_ = false;
  tools::Array input_;
  std::string place_;
};

}  // namespace nestrt::command
