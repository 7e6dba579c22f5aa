// SPDX-License-Identifier: Apache-2.0
// Exports a model in parts: one ONNX file per part, and the manifest.
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
  ExportForm form;
  bool folded_batch_norm = false;  // whether the graph was changed; stored in the manifest
  std::string model_digest;
};

// Receives a part's file name and bytes. Only one part at a time is in memory.
using PartSink = std::function<Status(const std::string& file, std::string_view bytes)>;

// Exports the parts in order. Requires that `cut` belongs to `graph`. Errors: those of export_onnx(), naming the part,
// and of `sink`; kInvalidArgument if a part's name is not a valid file name.
Result<Manifest> export_parts(const Graph& graph, const Cut& cut, const PartsOptions& options, const PartSink& sink);

// Folds imported BatchNormalization into preceding convolutions if possible.
Status fold_batch_normalization(Graph& graph);

}  // namespace nestrt::compiler
