// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/vendor/vendor_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>
#include <vector>

#include "compiler-lite/process/ending_signals.h"
#include "compiler-lite/process/process.h"
#include "compiler-lite/process/temporary_folder.h"
#include "compiler-lite/vendor/offload.h"
#include "nestrt/vendor.h"
#include "runtime/text/parse.h"
#include "tools/support/text/files.h"

namespace nestrt::compiler {
namespace {

namespace fs = std::filesystem;

// Number of bytes shown from the end of a command's output.
constexpr size_t kShownBytes = 2000;
constexpr uintmax_t kMaxBlobBytes = uintmax_t{2} << 30;
constexpr std::string_view kInput = "{input}", kOutput = "{output}", kFolder = "{folder}", kData = "{data}";

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  for (const std::string_view word : split(command, " "))
    if (!word.empty()) words.emplace_back(word);
  return words;
}

// Replaces every placeholder of a word, once from left to right.
std::string filled(const std::string& word, const std::map<std::string_view, std::string>& values) {
  std::string result;
  for (size_t at = 0; at < word.size();) {
    size_t taken = 0;
    for (const auto& [placeholder, value] : values) {
      if (word.compare(at, placeholder.size(), placeholder) != 0) continue;
      result += value;
      taken = placeholder.size();
    }
    if (taken == 0) result += word[at];
    at += std::max<size_t>(taken, 1);
  }
  return result;
}

std::string printed_by(const ProcessResult& result) {
  std::string text = result.error.empty() ? result.output : result.error;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() > kShownBytes) text = "..." + text.substr(text.size() - kShownBytes);
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) text.replace(at, 1, "; ");
  return text.empty() ? "it printed nothing" : "it printed: " + text;
}

std::string ending_of(const ProcessResult& result) {
  if (result.exit_code > kSignalled) return fmt::format("was killed by signal {}", result.exit_code - kSignalled);
  return fmt::format("ended with exit code {}", result.exit_code);
}

Result<Bytes> read_blob(const std::string& path, const ProcessResult& result) {
  std::error_code error;
  const bool is_file = fs::is_regular_file(path, error);
  if (!is_file || fs::file_size(path, error) == 0)
    return Status(Code::kUnsupported, fmt::format("its command wrote {}; {}", is_file ? "an empty output" : "no output",
                                                  printed_by(result)));
  if (const uintmax_t size = fs::file_size(path, error); size > kMaxBlobBytes)
    return Status(Code::kUnsupported,
                  fmt::format("its command wrote an output of {} bytes; at most {} are supported; {}", size,
                              kMaxBlobBytes, printed_by(result)));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> blob, tools::read_file(path));
  return Bytes(blob.begin(), blob.end());
}

// Returns an absolute path, because the command runs in another folder; empty stays empty.
std::string absolute(const std::string& path) {
  std::error_code error;
  return path.empty() ? path : fs::absolute(path, error).string();
}

}  // namespace

Status check_vendor_command(const std::string& command) {
  for (const std::string_view placeholder : {kInput, kOutput})
    if (command.find(placeholder) == std::string::npos)
      return Status(Code::kInvalidArgument, fmt::format("the vendor's command '{}' has no {}", command, placeholder));
  return {};
}

Status check_vendor_ports(size_t inputs, size_t outputs) {
  if (outputs > 0 && inputs <= NESTRT_VENDOR_MAX_PORTS && outputs <= NESTRT_VENDOR_MAX_PORTS - inputs) return {};
  return Status(
      Code::kInvalidArgument,
      fmt::format("{} inputs and {} outputs: a vendor's program has at least one output and at most {} ports in total",
                  inputs, outputs, NESTRT_VENDOR_MAX_PORTS));
}

Result<Bytes> run_vendor_command(const VendorOptions& options, std::string_view model) {
  const EndingSignals held;  // holds back signals until the folder is removed
  NESTRT_ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::create());
  const fs::path base(folder.path()), work = base / "work";
  NESTRT_RETURN_IF_ERROR(tools::make_folder(work.string()));
  const std::string input = (base / "part.onnx").string(), output = (base / "part.blob").string();
  NESTRT_RETURN_IF_ERROR(tools::write_file(input, std::as_bytes(std::span(model))));
  std::vector<std::string> words = words_of(options.command);
  // A program path with a folder is relative to nestc's working folder.
  if (words[0].find('/') != std::string::npos) words[0] = absolute(words[0]);
  for (std::string& word : words)
    word =
        filled(word, {{kInput, input}, {kOutput, output}, {kFolder, work.string()}, {kData, absolute(options.data)}});
  const Result<ProcessResult> result = run_process(words, folder.path(), {work.string(), options.time_limit});
  if (!result && result.error().code() == Code::kDeadlineExceeded)
    return Status(Code::kDeadlineExceeded, fmt::format("its command {}", result.error().message()));
  if (!result) return result.error();
  if (result->exit_code != 0)
    return Status(Code::kUnsupported, fmt::format("its command {}; {}", ending_of(*result), printed_by(*result)));
  return read_blob(output, *result);
}

}  // namespace nestrt::compiler
