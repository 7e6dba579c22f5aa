// SPDX-License-Identifier: Apache-2.0
// Tensors of a plan on the command line and on disk.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "nestrt/tensor.h"
#include "tools/support/text/npy.h"

namespace nestrt::tools {

// Reads one array per input, in the plan's order, from arguments `NAME=FILE.npy` (`FILE.npy` alone for a single input).
// Errors: kInvalidArgument for an unknown, missing or repeated name and for a wrong type or shape, with the expected
// ones; those of read_npy.
Result<std::vector<Array>> read_inputs(std::span<const TensorInfo> inputs, std::span<const std::string> arguments);

// Returns the files among such arguments.
std::vector<std::string> input_files(std::span<const TensorInfo> inputs, std::span<const std::string> arguments);

// Returns a unique file name per tensor: its name with all characters except letters, digits, '.', '_' and '-' replaced
// by '_', at most 200 characters, a suffix "_2", "_3" ... if required, and `extension`.
std::vector<std::string> file_names(std::span<const TensorInfo> tensors, const std::string& extension);

}  // namespace nestrt::tools
