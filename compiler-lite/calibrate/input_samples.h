// InputSamples: what one input of a network is given in sample after sample, read when it is needed.
#pragma once

#include <string>
#include <vector>

#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "tools/support/text/npy.h"

namespace nestrt::compiler {

struct SampleOptions {
  std::string images;  // a folder of JPEG, PNG and BMP images, and of .npy inputs; other files are passed over
  std::string npy;     // or a file of N inputs; exactly one of the two is given
  size_t limit = 0;    // at most so many, evenly from the whole; 0: all
  bool skip_unreadable = false;
};

// kInvalidArgument where neither or both are given.
Status check_one_source(const SampleOptions& options);

class InputSamples {
 public:
  // Images are preprocessed as stated, or become pixels as they are.
  // Errors: kNotFound and kInvalidArgument where there is no calibration data, or an array of another type or shape;
  // the errors of reading a file.
  static Result<InputSamples> open(const SampleOptions& options, const TensorInfo& input,
                                   const Preprocessing* preprocessing);

  // Those chosen.
  size_t size() const { return chosen_.size(); }
  // Those that they were chosen from.
  size_t available() const { return available_; }
  // For messages: the image's path, or the file and the index in it.
  std::string name(size_t index) const;
  // Requires: index < size(). Errors: those of reading and preprocessing an image, with its name; kInvalidArgument
  // where a float is no finite number.
  Result<tools::Array> read(size_t index) const;
  // What the images among those chosen go through; null where there are none.
  const Preprocessing* preprocessing() const;

 private:
  Status open_images(const SampleOptions& options);
  Status open_npy(const SampleOptions& options);
  Result<tools::Array> read_array(const std::string& path) const;
  Result<tools::Array> read_any(size_t index) const;
  void choose(size_t available, size_t limit);

  TensorInfo input_;
  Preprocessing preprocessing_;
  std::vector<std::string> images_;  // paths, sorted; empty where there is one array of them all
  std::string array_path_;
  tools::Array array_;
  size_t available_ = 0;
  std::vector<size_t> chosen_;
};

}  // namespace nestrt::compiler
