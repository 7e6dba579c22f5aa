// SPDX-License-Identifier: Apache-2.0
// Reference results for `nestc check`, from ONNX Runtime or, for TensorFlow Lite models, from LiteRT. Both run in a
// separate Python process, so nestc does not link them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "nestrt/result.h"
#include "tools/support/text/npy.h"

namespace nestrt::compiler {

using NamedArrays = std::map<std::string, tools::Array>;

// Returns an interpreter that can import onnxruntime, onnx and numpy. Creates the private environment on first use
// (compiler-lite/check/ort_environment.py). Errors: kUnavailable with the reason and the remedy.
Result<std::string> onnx_runtime_python();

struct OnnxRuntimeRequest {
  std::string python;  // from onnx_runtime_python(), or the user's own
  std::string model;
  std::vector<NamedArrays> runs;    // inputs of each run
  std::vector<std::string> values;  // requested in addition to the model's outputs, if the model computes them
};

// Returns the values of each run. Errors: kUnavailable if the interpreter does not work; kInvalidModel with ONNX
// Runtime's message.
Result<std::vector<NamedArrays>> run_onnx_runtime(const OnnxRuntimeRequest& request);

struct ReferenceResults {
  std::vector<NamedArrays> runs;       // with the default kernels (XNNPACK)
  std::vector<NamedArrays> reference;  // with the reference kernels; empty if the model has no 8-bit integers
};

// Same for a TensorFlow Lite model (compiler-lite/check/lite_run.py). `python`: an interpreter with ai-edge-litert,
// tflite-runtime or tensorflow; python3 if empty. Errors: kUnavailable if none of these packages is installed;
// kInvalidModel with LiteRT's message.
Result<ReferenceResults> run_litert(const OnnxRuntimeRequest& request);

// Models that run in sequence. Each model reads the inputs of a run and the results of earlier models.
using ModelChain = std::vector<std::string>;

struct ModelChainsRequest {
  std::string python;
  std::vector<ModelChain> chains;  // all in one process, with the same optimisations
  std::vector<NamedArrays> runs;
  std::vector<std::string> results;  // names of values that every chain computes
};

// Returns the results by chain and run. Errors: see run_onnx_runtime().
Result<std::vector<std::vector<NamedArrays>>> run_onnx_runtime(const ModelChainsRequest& request);

}  // namespace nestrt::compiler
