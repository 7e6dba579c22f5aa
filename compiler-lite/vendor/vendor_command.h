// SPDX-License-Identifier: Apache-2.0
// Runs the command of a vendor's compiler on one part.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "compiler-lite/graph/bytes.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

struct VendorOptions;

// Errors: kInvalidArgument if the command lacks {input} or {output}.
Status check_vendor_command(const std::string& command);

// Errors: kInvalidArgument if the number exceeds the limit of a vendor's program.
Status check_vendor_ports(size_t inputs, size_t outputs);

// Returns the command's output for the model. The command runs in a temporary folder and reads nothing from standard
// input; its printed output is kept for messages. Errors: kNotFound if it cannot be started, kDeadlineExceeded if it
// takes too long, kUnsupported if it fails or writes nothing, kIo.
Result<Bytes> run_vendor_command(const VendorOptions& options, std::string_view model);

}  // namespace nestrt::compiler
