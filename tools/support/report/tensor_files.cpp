// SPDX-License-Identifier: Apache-2.0
#include "tools/support/report/tensor_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "tools/support/text/table.h"

namespace nestrt::tools {
namespace {

Status refuse(std::string_view why, std::span<const TensorInfo> inputs) {
  std::string message = fmt::format("{}; the plan expects", why);
  for (const TensorInfo& input : inputs) {
    message += fmt::format("\n  --input {}=FILE.npy  ({} {})", printable(input.name), name(input.type),
                           input.shape.to_string());
  }
  return Status(Code::kInvalidArgument, std::move(message));
}

struct InputFile {
  size_t input;
  std::string path;
};

// Names may contain '=': the first split whose left side is an input is used.
std::optional<InputFile> match_argument(std::span<const TensorInfo> inputs, const std::string& argument) {
  size_t equals = argument.find('=');
  if (equals == std::string::npos && inputs.size() == 1) return InputFile{0, argument};
  for (; equals != std::string::npos; equals = argument.find('=', equals + 1)) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].name == argument.substr(0, equals)) return InputFile{i, argument.substr(equals + 1)};
    }
  }
  return std::nullopt;
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

}  // namespace

Result<std::vector<Array>> read_inputs(std::span<const TensorInfo> inputs, std::span<const std::string> arguments) {
  std::vector<std::optional<Array>> found(inputs.size());
  for (const std::string& argument : arguments) {
    const auto file = match_argument(inputs, argument);
    if (!file) return refuse(fmt::format("'{}' does not name an input", argument), inputs);
    const TensorInfo& input = inputs[file->input];
    if (found[file->input]) return refuse(fmt::format("input '{}' is given twice", printable(input.name)), inputs);
    NESTRT_ASSIGN_OR_RETURN(Array array, read_npy(file->path));
    if (array.type != input.type || !(array.shape == input.shape)) {
      return refuse(fmt::format("'{}' contains {} {}, which does not match input '{}'", file->path, name(array.type),
                                array.shape.to_string(), printable(input.name)),
                    inputs);
    }
    found[file->input] = std::move(array);
  }
  std::vector<Array> arrays;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!found[i]) return refuse(fmt::format("input '{}' is missing", printable(inputs[i].name)), inputs);
    arrays.push_back(std::move(*found[i]));
  }
  return arrays;
}

std::vector<std::string> input_files(std::span<const TensorInfo> inputs, std::span<const std::string> arguments) {
  std::vector<std::string> paths;
  for (const std::string& argument : arguments)
    if (const auto file = match_argument(inputs, argument)) paths.push_back(file->path);
  return paths;
}

std::vector<std::string> file_names(std::span<const TensorInfo> tensors, const std::string& extension) {
  constexpr size_t kMaxLength = 200;
  std::vector<std::string> names;
  std::set<std::string> taken;
  std::map<std::string, int> counts;  // by stem: the last suffix tried
  for (const TensorInfo& tensor : tensors) {
    std::string stem = tensor.name.empty() ? "output" : tensor.name.substr(0, kMaxLength);
    std::replace_if(
        stem.begin(), stem.end(), [](char c) { return !is_plain(c); }, '_');
    std::string unique = stem;
    int& count = counts.try_emplace(stem, 1).first->second;
    while (!taken.insert(unique).second) unique = fmt::format("{}_{}", stem, ++count);
    names.push_back(unique + extension);
  }
  return names;
}

}  // namespace nestrt::tools
