// Runs a network with one input on image files, or on arrays in their place.
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
  // Images are preprocessed as the plan states; where it states nothing, as the flags say.
  // Errors: kInvalidArgument where the plan has not exactly one input, or states something else than the flags.
  static Result<ImageRunner> create(const std::string& plan_path, const UnitChoice& units,
                                    const tools::ImageFlags& flags);

  // Decodes, preprocesses and runs; a FILE.npy is run as it is, and may lack leading dimensions of one. Warns of the
  // first image where neither plan nor flags say how it becomes an input.
  Status run(const std::string& path);

  // Whether the last input holds no NaN, of which integers make 0.
  bool input_is_numbers() const;

  // Of the last run.
  std::span<const TensorView> outputs() const { return outputs_.views(); }
  // The first output. Requires: gives_classes().
  std::span<const float> scores() const;
  const tools::Array& input() const { return input_; }
  // Where the last image lies in the input: empty for an array.
  const std::string& place() const { return place_; }

  // Whether the plan's first output is one row of class scores.
  bool gives_classes() const;
  // Errors: kInvalidArgument where it is not.
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
