// SPDX-License-Identifier: Apache-2.0
// PartCompiler: plans of parts of a model, in memory or from a folder that keeps them.
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

  // Compiles the model, or loads its plan from the folder. Damaged files there are replaced. Errors: those of
  // compiler::compile(), and kIo if the folder cannot be written.
  Result<std::shared_ptr<const Plan>> plan_of(const std::string& model) const;

  // Returns whether nestc can read the model. Errors: those of compiler::import_onnx().
  static Status check(const std::string& model);

 private:
  std::string target_, folder_;
};

}  // namespace nestrt::ort
