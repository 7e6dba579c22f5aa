// Runs a classifier on picture files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/nestrt/load.h"

namespace nestrt::command {

class PictureRunner {
 public:
  // Errors: kInvalidArgument where the plan has not exactly one input, or its first output is not one row of f32 class
  // scores (1xN, or with further dimensions of one).
  static Result<PictureRunner> create(const std::string& plan_path, const UnitChoice& units);

  // Decodes, preprocesses as the plan states (pixels as they are where it states nothing), runs. The values of the
  // first output, valid until the next run.
  Result<std::span<const float>> run(const std::string& picture_path);

  // All outputs of the last run.
  std::span<const TensorView> outputs() const { return outputs_.views(); }
  const LoadedPlan& loaded() const { return loaded_; }
  const Plan& plan() const { return *loaded_.plan; }
  int64_t num_classes() const { return plan().outputs()[0].shape.num_elements(); }

 private:
  LoadedPlan loaded_;
  TensorSet outputs_;
};

}  // namespace nestrt::command
