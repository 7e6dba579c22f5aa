// SPDX-License-Identifier: Apache-2.0
// Offloads parts of a model to a vendor's compiler: exports them as ONNX, runs the vendor's command on each, and
// replaces the part with an operator Opaque. The output goes into the plan unchanged; nestrt does not interpret it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/export/export.h"
#include "compiler-lite/graph/graph.h"
#include "compiler-lite/parts/cutting/capability.h"
#include "compiler-lite/parts/cutting/cut.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

struct VendorOptions {
  std::string unit;  // the kind of the vendor's units, and the backend of the vendor's parts
  // Words separated by spaces: a program, found by PATH, and its arguments. No shell interprets them. Placeholders in
  // words: {input} is the part's ONNX file, {output} the file to write, {folder} an empty folder and the command's
  // working folder, and {data} is `data`.
  std::string command;
  std::string data;  // sample data for the command, as specified by the user
  std::chrono::seconds time_limit{600};
  int64_t opset = kDefaultExportOpset;
  std::optional<OffloadCost> cost;  // costs of the vendor's device, if stated
  // Selects the operators for the vendor; empty selects all of them as one part.
  std::function<Result<std::vector<PartSpec>>(const Graph& graph)> parts;
};

// Parses "NAME=COMMAND". Errors: kInvalidArgument with the reason.
Result<VendorOptions> parse_vendor(const std::string& text);

// Requires a tidy graph as imported. The returned backend has the programs of the operators that were inserted. Errors:
// those of `parts`, cutting and exporting; kInvalidArgument if no part is the vendor's, if a part belongs to another
// vendor, or if the command lacks {input} or {output}; kUnsupported with the command's output if it fails or writes no
// file; kDeadlineExceeded if it takes too long.
Result<std::shared_ptr<Backend>> offload_parts(Graph& graph, const VendorOptions& options);

}  // namespace nestrt::compiler
