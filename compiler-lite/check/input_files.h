// The arrays that a check runs on, from the files that the user names by input.
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

// Those of the files that are of none of the `inputs` that a plan or its parts have: the model's own, which were bound
// to constants. Errors: those of read_npy.
Result<NamedArrays> bound_arrays(const InputFiles& files, std::span<const TensorInfo> inputs);

// Whether there are files, and all are of inputs of the model that were bound: they state no run.
bool are_all_bound(const std::string& model, const InputFiles& files, std::span<const TensorInfo> inputs);

// One for each of the inputs. Errors: kInvalidArgument where a file is missing; those of read_npy.
Result<std::vector<tools::Array>> input_arrays(const InputFiles& files, std::span<const TensorInfo> inputs);

}  // namespace nestrt::compiler
