// SPDX-License-Identifier: Apache-2.0
// Offloads parts of a model to a vendor's compiler: exports them as ONNX, runs the vendor's command on each, and
// replaces the part with an Opaque operator. The command's output is stored in the plan unchanged; nestrt does not
// interpret it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler-lite/calibrate/input_samples.h"
#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/export/export.h"
#include "compiler-lite/graph/graph.h"
#include "compiler-lite/parts/cutting/capability.h"
#include "compiler-lite/parts/cutting/cut.h"
#include "compiler-lite/vendor/vendor_report.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

struct VendorOptions {
  std::string unit;  // the kind of the vendor's units, and the backend of the vendor's parts
  // Words separated by spaces: a program, searched for in PATH, and its arguments. No shell interprets them. If a word,
  // or the text after its first '=', names an existing file, it becomes an absolute path. Placeholders: {input} is the
  // part's ONNX file, {output} the file to write, or {outputs} a folder for several files, {folder} an empty folder and
  // the command's working folder, {data} is `data`, {calibration} a folder with the values of the part's inputs over
  // `samples` (compiler-lite/vendor/calibration.h), {manifest} a JSON file that describes the part, and {report} a JSON
  // file that the command must write (compiler-lite/vendor/vendor_report.h).
  std::string command;
  std::string data;        // sample data for the command, as specified by the user
  SampleOptions samples;   // sample data for {calibration}
  bool allow_cpu = false;  // accept a part that the vendor compiles entirely for the CPU
  std::function<void(const std::string& part, const VendorReport& report)> on_report;  // may be empty
  std::chrono::seconds time_limit{600};
  ExportForm form;                  // form of the parts' ONNX files
  std::optional<OffloadCost> cost;  // costs of the vendor's device, if known
  // Selects the operators for the vendor; empty selects all of them as one part.
  std::function<Result<std::vector<PartSpec>>(const Graph& graph)> parts;
};

// Parses "NAME=COMMAND". Errors: kInvalidArgument with the reason.
Result<VendorOptions> parse_vendor(const std::string& text);

// Requires: a tidy graph, unchanged since import. The returned backend contains the programs of the inserted operators.
// Errors: those of `parts`, cutting and exporting; kInvalidArgument if no part belongs to the vendor, if a part belongs
// to another vendor, or if the command lacks a placeholder; kUnsupported with the command's output if the command fails
// or writes no file; kDeadlineExceeded if the command takes too long.
Result<std::shared_ptr<Backend>> offload_parts(Graph& graph, const VendorOptions& options);

}  // namespace nestrt::compiler
