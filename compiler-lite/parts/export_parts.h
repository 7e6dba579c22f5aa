// A model in parts: one ONNX file for each, and the manifest.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler-lite/parts/cutting/cut.h"
#include "compiler-lite/parts/manifest.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

struct PartsOptions {
  int64_t opset = kDefaultExportOpset;
  bool folded_batch_norm = false;  // for the manifest: what has been done to the graph
  std::string model_digest;
};

// Takes a part's file name and its bytes. One part at a time is in memory.
using PartSink = std::function<Status(const std::string& file, std::string_view bytes)>;

// Exports the parts, in their order. Requires: `cut` is of `graph`. Errors: those of export_onnx() with the part's
// name, and of `sink`; kInvalidArgument for parts that can name no file.
Result<Manifest> export_parts(const Graph& graph, const Cut& cut, const PartsOptions& options, const PartSink& sink);

// Folds what BatchNormalization has become into the convolutions before it, where that can be done.
Status fold_batch_normalization(Graph& graph);

}  // namespace nestrt::compiler
