// ONNX Runtime as the judge of `nestc check`: run in a Python process of its own, so nestc links nothing of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "nestrt/result.h"
#include "tools/support/text/npy.h"

namespace nestrt::compiler {

using NamedArrays = std::map<std::string, tools::Array>;

// An interpreter that can import onnxruntime, onnx and numpy: makes the private environment on first use
// (compiler-lite/check/ort_environment.py). Errors: kUnavailable with the reason and the remedy.
Result<std::string> onnx_runtime_python();

struct OnnxRuntimeRequest {
  std::string python;  // from onnx_runtime_python(), or the user's own
  std::string model;
  std::vector<NamedArrays> runs;    // the inputs of each run
  std::vector<std::string> values;  // wanted beside the model's outputs, where the model computes them
};

// The values of each run. Errors: kUnavailable where the interpreter does not work, kInvalidModel with what ONNX
// Runtime says.
Result<std::vector<NamedArrays>> run_onnx_runtime(const OnnxRuntimeRequest& request);

// Models that run one after the other, each on the inputs of a run and on what those before it have computed.
using ModelChain = std::vector<std::string>;

struct ModelChainsRequest {
  std::string python;
  std::vector<ModelChain> chains;  // all in one process, and with the same optimisations
  std::vector<NamedArrays> runs;
  std::vector<std::string> results;  // names of values that every chain computes
};

// The results by chain and run. Errors: as run_onnx_runtime().
Result<std::vector<std::vector<NamedArrays>>> run_onnx_runtime(const ModelChainsRequest& request);

}  // namespace nestrt::compiler
