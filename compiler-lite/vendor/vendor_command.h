// SPDX-License-Identifier: Apache-2.0
// Runs a vendor's compiler command on one part.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/graph/bytes.h"
#include "compiler-lite/parts/borders.h"
#include "compiler-lite/parts/cutting/offload_cost.h"
#include "compiler-lite/vendor/vendor_report.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

struct VendorOptions;

// The part that the command compiles.
struct VendorPart {
  std::string name;
  std::string model;  // ONNX
  std::vector<Border> inputs, outputs;
  // Writes the part's calibration data into a folder (write_calibration()) and returns the number of samples.
  std::function<Result<size_t>(const std::string& folder)> calibrate;
};

struct VendorOutput {
  Bytes blob;                                       // the output file, or an archive of the output files
  std::vector<plan::VendorFacts::File> files = {};  // the files in the archive
  std::optional<VendorReport> report;
};

// Returns a program without ranges. Its time is the one that the vendor's compiler reports, or else the one of
// blob_program().
UnitProgram program_of(VendorOutput output, const VendorPart& part, const std::optional<OffloadCost>& cost,
                       const RegionSize& size);

// Errors: kInvalidArgument if the command lacks {input} or does not contain exactly one of {output} and {outputs}.
Status check_vendor_command(const std::string& command);

// Errors: kInvalidArgument if there are more inputs or outputs than a vendor's program supports.
Status check_vendor_ports(size_t inputs, size_t outputs);

// Returns the command's output for the part. The command runs in a temporary folder and reads nothing from standard
// input. If it fails, the message contains its output; see printed_by(). Errors: kNotFound if it cannot be started;
// kDeadlineExceeded if it takes too long; kUnsupported if it fails, writes nothing, or reports that it uses only the
// CPU; kInvalidArgument if its report is invalid or {calibration} is used without samples; kIo.
Result<VendorOutput> run_vendor_command(const VendorOptions& options, const VendorPart& part);

}  // namespace nestrt::compiler
