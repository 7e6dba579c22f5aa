// SPDX-License-Identifier: Apache-2.0
// PartCompiler: compiles parts of a model, and optionally caches the plans in a folder.
#pragma once

#include <memory>
#include <string>

#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "tools/onnxruntime/provider_options.h"

namespace nestrt::ort {

class PartCompiler {
 public:
  explicit PartCompiler(const ProviderOptions& options) : target_(options.target), folder_(options.cache) {}

  // Loads the plan of the model from the folder, or compiles the model. Damaged files in the folder are replaced.
  // Errors: those of compiler::compile(), and kIo if the folder cannot be written.
  Result<std::shared_ptr<const Plan>> plan_of(const std::string& model) const;

  // Succeeds if nestc can import the model. Errors: those of compiler::import_onnx().
  static Status check(const std::string& model);

 private:
  std::string target_, folder_;
};

}  // namespace nestrt::ort
