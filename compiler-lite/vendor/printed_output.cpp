// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/vendor/printed_output.h"

#include <fmt/core.h>

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <vector>

#include "tools/support/report/tensor_files.h"
#include "tools/support/text/files.h"

namespace nestrt::compiler {
namespace {

// Number of bytes shown from the start and from the end of a long output.
constexpr size_t kShownBytes = 1000;

std::string_view without_newlines(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

std::string on_one_line(std::string text) {
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) text.replace(at, 1, "; ");
  return text;
}

// Returns the path of a new file with all output, or "" if it cannot be written.
std::string kept(const ProcessResult& result, const std::string& part) {
  std::error_code error;
  const std::string name = tools::file_names(std::vector<TensorInfo>{{part, DataType::kF32, {}}}, "").front();
  std::string path = std::filesystem::temp_directory_path(error) / fmt::format("nestc-{}-XXXXXX.log", name);
  constexpr int kSuffixBytes = 4;
  const int file = error ? -1 : mkstemps(path.data(), kSuffixBytes);
  if (file < 0) return "";
  close(file);
  const std::string all = fmt::format("standard error:\n{}\nstandard output:\n{}\n", result.error, result.output);
  return tools::write_text(path, all).ok() ? path : "";
}

}  // namespace

std::string printed_by(const ProcessResult& result, const std::string& part) {
  const std::string_view error = without_newlines(result.error), output = without_newlines(result.output);
  const std::string_view text = error.empty() ? output : error;
  if (text.empty()) return "it printed nothing";
  const bool is_long = text.size() > 2 * kShownBytes;
  std::string shown(text);
  if (is_long) shown = fmt::format("{} ... {}", text.substr(0, kShownBytes), text.substr(text.size() - kShownBytes));
  shown = "it printed: " + on_one_line(std::move(shown));
  if (!is_long && (error.empty() || output.empty())) return shown;
  const std::string file = kept(result, part);
  return file.empty() ? shown : fmt::format("{} (all of its output: {})", shown, file);
}

}  // namespace nestrt::compiler
