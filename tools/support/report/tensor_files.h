// Tensors of a plan on the command line and on disk.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "nestrt/tensor.h"
#include "tools/support/text/npy.h"

namespace nestrt::tools {

// One array per input, in the plan's order, from arguments `NAME=FILE.npy` (`FILE.npy` alone where there is one input).
// Errors: kInvalidArgument for an unknown, missing or repeated name, a wrong type or shape, each with what is expected;
// and those of read_npy.
Result<std::vector<Array>> read_inputs(std::span<const TensorInfo> inputs, std::span<const std::string> arguments);

// The files among such arguments.
std::vector<std::string> input_files(std::span<const TensorInfo> inputs, std::span<const std::string> arguments);

// A file name for each tensor: its name with everything but letters, digits, '.', '_' and '-' replaced by '_', cut to
// 200 characters, and made unique by "_2", "_3" ...; then `extension`.
std::vector<std::string> file_names(std::span<const TensorInfo> tensors, const std::string& extension);

}  // namespace nestrt::tools
