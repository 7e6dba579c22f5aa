// The command of a vendor's compiler, run on one part.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "compiler-lite/graph/bytes.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

struct VendorOptions;

// Errors: kInvalidArgument where it lacks {input} or {output}.
Status check_vendor_command(const std::string& command);

// kInvalidArgument where a vendor's program cannot have so many.
Status check_vendor_ports(size_t inputs, size_t outputs);

// What the command makes of the model. It works in a folder of its own, which goes afterwards, reads nothing from
// standard input, and what it prints is kept for the message. Errors: kNotFound where it cannot be started,
// kDeadlineExceeded where it takes too long, kUnsupported where it fails or writes nothing, kIo.
Result<Bytes> run_vendor_command(const VendorOptions& options, std::string_view model);

}  // namespace nestrt::compiler
