// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/check/input_files.h"

#include <fmt/core.h>

#include <algorithm>

#include "compiler-lite/import/import_model.h"
#include "compiler-lite/import/onnx/onnx_model.h"

namespace nestrt::compiler {
namespace {

bool has_input(std::span<const TensorInfo> inputs, const std::string& name) {
  return std::ranges::any_of(inputs, [&](const TensorInfo& input) { return input.name == name; });
}

}  // namespace

Result<NamedArrays> bound_arrays(const InputFiles& files, std::span<const TensorInfo> inputs) {
  NamedArrays bound;
  for (const auto& [name, file] : files) {
    if (has_input(inputs, name)) continue;
    NESTRT_ASSIGN_OR_RETURN(bound[name], tools::read_npy(file));
  }
  return bound;
}

bool are_all_bound(const std::string& model, const InputFiles& files, std::span<const TensorInfo> inputs) {
  if (files.empty() || is_tflite(model)) return false;
  const auto onnx = read_onnx_model(model, ImportLimits());
  if (!onnx) return false;  // ONNX Runtime reports the problem
  return std::ranges::all_of(files, [&](const auto& named) {
    const auto is_it = [&](const OnnxValueInfo& input) { return input.name == named.first; };
    return !has_input(inputs, named.first) && std::ranges::any_of(onnx->inputs, is_it);
  });
}

Result<std::vector<tools::Array>> input_arrays(const InputFiles& files, std::span<const TensorInfo> inputs) {
  std::vector<tools::Array> arrays;
  for (const TensorInfo& input : inputs) {
    const auto file = files.find(input.name);
    if (file == files.end())
      return Status(Code::kInvalidArgument,
                    fmt::format("no file for input {} ({} {}); add --input {}=FILE.npy", input.name, name(input.type),
                                input.shape.to_string(), input.name));
    NESTRT_ASSIGN_OR_RETURN(arrays.emplace_back(), tools::read_npy(file->second));
  }
  return arrays;
}

}  // namespace nestrt::compiler
