// The sanity checker of a model in parts: the same inputs through the model, and through its parts one after the other,
// both in ONNX Runtime.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler-lite/calibrate/samples.h"
#include "compiler-lite/check/check.h"
#include "compiler-lite/parts/manifest.h"
#include "nestrt/preprocessing.h"

namespace nestrt::compiler {

struct CheckPartsOptions {
  std::string model;
  std::string manifest;
  std::map<std::string, std::string> inputs;   // files by input name: one run. Others of the model go to it alone
  SampleOptions samples;                       // or a run for each image or array, where one of these is stated
  std::optional<Preprocessing> preprocessing;  // of images, real and random
  int random_runs = 1;                         // beside those
  uint64_t seed = 0;
  double tolerance = 1e-5;  // as a share of the largest element of the tensor, or of 1 where that is larger
  std::string python;       // empty: the private environment
};

// In `run` order; outputs of the model.
struct CheckPartsReport {
  std::vector<CheckedOutput> outputs;
  std::vector<std::string> runs;  // what each was fed with
  bool matches = true;
};

// Whether a difference is within such a tolerance.
bool parts_match(const Difference& difference, double tolerance);

// Errors: kInvalidArgument where the manifest is of another model; kUnavailable where ONNX Runtime cannot be had; those
// of reading the files.
Result<CheckPartsReport> check_parts(const CheckPartsOptions& options);

// What a model takes, as tensors.
std::vector<TensorInfo> inputs_of(const Manifest& manifest);

}  // namespace nestrt::compiler
