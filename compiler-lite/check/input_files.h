// SPDX-License-Identifier: Apache-2.0
// Input arrays of a check, read from files that the user specifies per input.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "compiler-lite/check/onnx_runtime.h"
#include "nestrt/tensor.h"
#include "tools/support/text/npy.h"

namespace nestrt::compiler {

using InputFiles = std::map<std::string, std::string>;  // by name

// Returns the files of inputs that are not among `inputs`: inputs of the model that were bound to constants. Errors:
// those of read_npy.
Result<NamedArrays> bound_arrays(const InputFiles& files, std::span<const TensorInfo> inputs);

// Returns true if there are files but all of them belong to bound inputs of the model. Such files do not define a run.
bool are_all_bound(const std::string& model, const InputFiles& files, std::span<const TensorInfo> inputs);

// Returns one array per input. Errors: kInvalidArgument if a file is missing; those of read_npy.
Result<std::vector<tools::Array>> input_arrays(const InputFiles& files, std::span<const TensorInfo> inputs);

}  // namespace nestrt::compiler
