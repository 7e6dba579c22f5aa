// SPDX-License-Identifier: Apache-2.0
// Runs the command of a vendor's compiler on one part.
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

// What the command receives.
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

// Returns a program without ranges. Its time is the one that the vendor's compiler reports, or as for blob_program().
UnitProgram program_of(VendorOutput output, const VendorPart& part, const std::optional<OffloadCost>& cost,
                       const RegionSize& size);

// Errors: kInvalidArgument if the command lacks {input}, or has not exactly one of {output} and {outputs}.
Status check_vendor_command(const std::string& command);

// Errors: kInvalidArgument if the number exceeds the limit of a vendor's program.
Status check_vendor_ports(size_t inputs, size_t outputs);

// Returns the command's output for the part. The command runs in a temporary folder and reads nothing from standard
// input. If it fails, a message contains what it printed, or the start and the end of it and the file with all of it.
// Errors: kNotFound if it cannot be started, kDeadlineExceeded if it takes too long, kUnsupported if it fails, writes
// nothing, or reports that it uses the CPU only; kInvalidArgument for a wrong report and without samples for
// {calibration}; kIo.
Result<VendorOutput> run_vendor_command(const VendorOptions& options, const VendorPart& part);

}  // namespace nestrt::compiler
