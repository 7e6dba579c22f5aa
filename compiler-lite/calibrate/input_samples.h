// SPDX-License-Identifier: Apache-2.0
// InputSamples: samples for one input of a network, read on demand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "tools/support/text/npy.h"

namespace nestrt::compiler {

// Samples [begin, end); an `end` beyond the last sample means all from `begin` on.
struct SampleRange {
  size_t begin = 0;
  size_t end = 0;
};

struct SampleOptions {
  std::string images;  // images and .npy inputs: a folder or a list (tools/support/image/sample_files.h)
  std::string npy;     // or a file of N inputs; exactly one of the two must be set
  size_t limit = 0;    // use at most this many samples, spread evenly; 0 uses all
  bool skip_unreadable = false;
  std::optional<SampleRange> range = {};  // of the samples that `limit` selects, use only these
};

// Errors: kInvalidArgument unless exactly one of `images` and `npy` is set.
Status check_one_source(const SampleOptions& options);

class InputSamples {
 public:
  // Preprocesses images with `preprocessing`; if it is null, pixels are used unchanged.
  // Errors: kNotFound and kInvalidArgument if there is no calibration data or an array has another type or shape; the
  // errors of reading a file.
  static Result<InputSamples> open(const SampleOptions& options, const TensorInfo& input,
                                   const Preprocessing* preprocessing);

  // Returns the number of selected samples.
  size_t size() const { return chosen_.size(); }
  // Returns the number of samples before selection.
  size_t available() const { return available_; }
  // Returns the image's path, or the file name and the sample's index in the file, for messages.
  std::string name(size_t index) const;
  // Returns a sample. Requires: index < size(). Errors: those of reading and preprocessing an image (named in the
  // message); kInvalidArgument if a float is not finite.
  Result<tools::Array> read(size_t index) const;
  // Returns the preprocessing of the selected images, or null if no image is selected.
  const Preprocessing* preprocessing() const;

 private:
  Status open_images(const SampleOptions& options);
  Status open_npy(const SampleOptions& options);
  Result<tools::Array> read_array(const std::string& path) const;
  Result<tools::Array> read_any(size_t index) const;
  void choose(size_t available, const SampleOptions& options);

  TensorInfo input_;
  Preprocessing preprocessing_;
  std::vector<std::string> images_;  // paths; empty if a single array contains all samples
  std::string array_path_;
  tools::Array array_;
  size_t available_ = 0;
  std::vector<size_t> chosen_;
};

}  // namespace nestrt::compiler
