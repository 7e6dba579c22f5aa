// SPDX-License-Identifier: Apache-2.0
// Checks a model in parts: runs the model and its parts, one after the other, on the same inputs in ONNX Runtime.
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
  // files by input name, for one run; files of inputs that the parts do not use are passed only to the model
  std::map<std::string, std::string> inputs;
  SampleOptions samples;                       // if specified, one run per image or array instead
  std::optional<Preprocessing> preprocessing;  // for images, real and random
  int random_runs = 1;                         // in addition to the others
  uint64_t seed = 0;
  double tolerance = 1e-5;  // fraction of the tensor's largest element, or of 1 if that is larger
  std::string python;       // empty selects the private environment
};

// Differences of the model's outputs, over all runs.
struct CheckPartsReport {
  std::vector<CheckedOutput> outputs;
  std::vector<std::string> runs;  // description of each run's inputs
  bool matches = true;
};

// Returns true if the difference is within `tolerance`.
bool parts_match(const Difference& difference, double tolerance);

// Errors: kInvalidArgument if the manifest belongs to another model; kUnavailable if ONNX Runtime is not available;
// those of reading the files.
Result<CheckPartsReport> check_parts(const CheckPartsOptions& options);

// Returns the inputs of the model as tensors.
std::vector<TensorInfo> inputs_of(const Manifest& manifest);

}  // namespace nestrt::compiler
