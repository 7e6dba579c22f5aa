// Parts of a model for a vendor's compiler: they are exported as ONNX, its command is run on each, and an operator
// Opaque takes the part's place in the graph. What it makes goes into the plan as it is: nothing here can read it.
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
  std::string unit;  // the kind of the vendor's units, and the backend of the parts that are his
  // Words between spaces: a program, found by PATH, and its arguments. No shell reads them. In each word stand {input}
  // for the part's ONNX file, {output} for the file to write, {folder} for an empty folder, in which the command works,
  // and {data} for `data`.
  std::string command;
  std::string data;  // whatever the command takes as sample data, as the user named it
  std::chrono::seconds time_limit{600};
  int64_t opset = kDefaultExportOpset;
  std::optional<OffloadCost> cost;  // what his device takes, where he states it
  // Which operators go to him; empty: all of them, as one part.
  std::function<Result<std::vector<PartSpec>>(const Graph& graph)> parts;
};

// "NAME=COMMAND". Errors: kInvalidArgument with what is wrong.
Result<VendorOptions> parse_vendor(const std::string& text);

// Requires: a tidy graph as it was imported. The backend has the programs of the operators that it has put there.
// Errors: those of `parts`, cutting and exporting; kInvalidArgument where no part is the vendor's, one is somebody
// else's, or the command uses no {input} or {output}; kUnsupported where the command fails, with what it has printed,
// or writes no output; kDeadlineExceeded where it takes too long.
Result<std::shared_ptr<Backend>> offload_parts(Graph& graph, const VendorOptions& options);

}  // namespace nestrt::compiler
