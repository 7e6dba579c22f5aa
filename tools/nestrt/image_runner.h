// SPDX-License-Identifier: Apache-2.0
// Runs a network with one input on image files or on arrays.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/nestrt/load.h"
#include "tools/support/image/image_options.h"
#include "tools/support/image/preprocess.h"
#include "tools/support/text/npy.h"

namespace nestrt::command {

// An image's size, and its place in the input.
struct PlacedImage {
  int width = 0;
  int height = 0;
  tools::ImagePlace place;
};

class ImageRunner {
 public:
  // Images are preprocessed as the plan specifies, or else according to the flags. Errors: kInvalidArgument if the plan
  // does not have exactly one input or contradicts the flags.
  static Result<ImageRunner> create(const std::string& plan_path, const UnitChoice& units,
                                    const tools::ImageFlags& flags);

  // Returns the number of images of one run: the plan's batch if its first output has a row of class scores for each
  // image of the batch, else 1.
  size_t batch_size() const { return batch_size_; }
  // Makes each index of the input's first dimension an image of the batch, for outputs other than class scores.
  void split_batch();
  // Decodes and preprocesses an image as row `row` of the input. A .npy file is used unchanged and may omit leading
  // dimensions of one. Warns for the first image if neither the plan nor the flags specify the preprocessing.
  // Requires: row < batch_size().
  Status load(const std::string& path, size_t row);
  // Runs the loaded rows. Rows that are not loaded keep their last content, initially zeros.
  Status run();

  // Returns whether a row of the input has no NaN. Integer kernels convert NaN to 0.
  bool input_is_numbers(size_t row) const;

  // Returns the outputs of the last run.
  std::span<const TensorView> outputs() const { return outputs_.views(); }
  // Returns a row of the first output. Requires: has_class_scores(), row < batch_size().
  std::span<const float> scores(size_t row) const;
  const tools::Array& input() const { return input_; }
  // Returns the position of the last image in the input; empty for an array.
  const std::string& place() const { return place_; }
  // Returns the place of the image in a row; nullopt for an array. Requires: row < batch_size().
  const std::optional<PlacedImage>& placed(size_t row) const { return placed_[row]; }

  // Returns whether the plan's first output has a row of class scores for each image.
  bool has_class_scores() const;
  // Errors: kInvalidArgument if has_class_scores() is false.
  Status require_classes(const std::string& whose) const;
  int64_t num_classes() const;
  const LoadedPlan& loaded() const { return loaded_; }
  const Plan& plan() const { return *loaded_.plan; }

 private:
  void set_batch(size_t size);
  Status read_image(const std::string& path, size_t row);
  Status read_array(const std::string& path, size_t row);
  std::span<std::byte> row_of_input(size_t row);
  ConstTensorView view_row(size_t row) const;

  LoadedPlan loaded_;
  size_t batch_size_ = 1;
  TensorInfo row_;  // one image of the batch
  TensorSet outputs_;
  Preprocessing preprocessing_;
  std::optional<Preprocessing> options_;
  bool stated_ = false;  // the plan or the options specify the preprocessing
  bool remarked_ = false;
  tools::Array input_;
  std::string place_;
  std::vector<std::optional<PlacedImage>> placed_;  // by row
};

}  // namespace nestrt::command
