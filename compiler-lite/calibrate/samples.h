// CalibrationSamples: the inputs that a network is calibrated with, one after the other, read when they are needed.
#pragma once

#include <string>
#include <vector>

#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "tools/common/npy.h"

namespace nestrt::compiler {

struct SampleOptions {
  std::string images;  // a folder of JPEG, PNG and BMP pictures, and of .npy inputs; other files are passed over
  std::string npy;     // or a file of N inputs; exactly one of the two is given
  size_t limit = 0;    // at most so many, evenly from the whole; 0: all
  bool skip_unreadable = false;
};

class CalibrationSamples {
 public:
  // For a network with one input, `input`; pictures are preprocessed as stated, or become pixels as they are.
  // Errors: kNotFound and kInvalidArgument where there is no calibration data, or an array of another type or shape;
  // the errors of reading a file.
  static Result<CalibrationSamples> open(const SampleOptions& options, const TensorInfo& input,
                                         const Preprocessing* preprocessing);
  // The same for the input of a plan. Errors: kUnsupported where it has not exactly one input of f32.
  static Result<CalibrationSamples> open(const SampleOptions& options, const Plan& plan);

  // Those chosen.
  size_t size() const { return chosen_.size(); }
  // For messages: the picture's path, or the file and the index in it.
  std::string name(size_t index) const;
  // Requires: index < size(). Errors: those of reading and preprocessing a picture, with its name; kInvalidArgument
  // where an element is no finite number.
  Result<tools::Array> read(size_t index) const;
  // What the pictures among those chosen go through; null where there are none.
  const Preprocessing* preprocessing() const;

 private:
  Status open_images(const SampleOptions& options);
  Status open_npy(const SampleOptions& options);
  Result<tools::Array> read_array(const std::string& path) const;
  Result<tools::Array> read_any(size_t index) const;
  void choose(size_t available, size_t limit);

  TensorInfo input_;
  Preprocessing preprocessing_;
  std::vector<std::string> pictures_;  // paths, sorted; empty where there is one array of them all
  std::string array_path_;
  tools::Array array_;
  std::vector<size_t> chosen_;
};

}  // namespace nestrt::compiler
