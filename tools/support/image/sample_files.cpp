// SPDX-License-Identifier: Apache-2.0
#include "tools/support/image/sample_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "runtime/text/parse.h"
#include "tools/support/text/files.h"
#include "tools/support/text/printable.h"

namespace nestrt::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExpected =
    "expected a folder of images or .npy arrays (subfolders are searched), or a text file with one path per line";

Status no_samples(const std::string& source, const std::error_code& error) {
  return Status(error == std::errc::no_such_file_or_directory ? Code::kNotFound : Code::kInvalidArgument,
                fmt::format("cannot read samples '{}': {}; {}", source, error.message(), kExpected));
}

// Walks folders depth first. Stops at a folder that it has already visited, so that a loop of links ends.
class FolderWalk {
 public:
  explicit FolderWalk(const fs::path& root) : root_(root) {}

  std::error_code visit(const fs::path& folder) {
    std::error_code error;
    const fs::path identity = fs::canonical(folder, error);
    if (error || !visited_.insert(identity).second) return error;
    std::vector<fs::path> folders;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      if (entry->path().filename().string().starts_with('.')) continue;
      std::error_code unreadable;
      if (entry->is_directory(unreadable)) {
        folders.push_back(entry->path());
      } else if (is_sample_name(entry->path())) {
        files_.push_back(entry->path().lexically_relative(root_).string());
      }
    }
    for (size_t i = 0; i < folders.size() && !error; ++i) error = visit(folders[i]);
    return error;
  }

  std::vector<std::string> sorted_files() && {
    std::ranges::sort(files_);
    return std::move(files_);
  }

 private:
  fs::path root_;
  std::set<fs::path> visited_;
  std::vector<std::string> files_;
};

Result<SampleFiles> find_in_folder(const std::string& source) {
  FolderWalk walk(source);
  const std::error_code error = walk.visit(source);
  if (error) return no_samples(source, error);
  SampleFiles samples{source, std::move(walk).sorted_files()};
  if (samples.files.empty()) {
    return Status(
        Code::kInvalidArgument,
        fmt::format("samples '{}': the folder and its subfolders have no .jpg, .jpeg, .png, .bmp or .npy file",
                    source));
  }
  return samples;
}

Result<SampleFiles> read_list(const std::string& source) {
  NESTRT_ASSIGN_OR_RETURN(const TextLines text, read_lines(source));
  const fs::path folder = fs::path(source).parent_path();
  SampleFiles samples{folder.empty() ? "." : folder.string(), {}};
  for (size_t line = 0; line < text.lines().size(); ++line) {
    const std::string_view file = split(text.lines()[line], "\t")[0];
    if (file.empty()) continue;
    if (!is_sample_name(file) || leaves_folder(file)) {
      return Status(Code::kInvalidArgument,
                    fmt::format("'{}' line {}: expected the path of an image or .npy array, relative to the folder of "
                                "the list and inside it; got '{}'",
                                source, line + 1, printable(file)));
    }
    samples.files.push_back(plain_name(file));
  }
  if (samples.files.empty())
    return Status(Code::kInvalidArgument, fmt::format("the list '{}' is empty; {}", source, kExpected));
  return samples;
}

// Returns the first folder of a relative path; empty if the file is not in a folder.
std::string_view first_folder(std::string_view file) {
  const size_t slash = file.find('/');
  return slash == std::string_view::npos ? std::string_view() : file.substr(0, slash);
}

}  // namespace

Result<SampleFiles> find_samples(const std::string& source) {
  std::error_code error;
  const fs::file_status status = fs::status(source, error);
  if (!fs::exists(status))
    return no_samples(source, error ? error : make_error_code(std::errc::no_such_file_or_directory));
  if (fs::is_directory(status)) return find_in_folder(source);
  if (is_sample_name(source))
    return Status(Code::kInvalidArgument, fmt::format("samples '{}': a single file; {}", source, kExpected));
  return read_list(source);
}

Result<FolderClasses> classes_of_folders(const std::string& source, std::span<const std::string> files,
                                         const ClassNames& names) {
  std::set<std::string_view> folders;
  for (const std::string& file : files) folders.insert(first_folder(file));
  if (folders.contains("")) {
    const auto outside = std::ranges::find_if(files, [](const auto& file) { return first_folder(file).empty(); });
    return Status(
        Code::kInvalidArgument,
        fmt::format("'{}': '{}' is not in the folder of a class; sort the images into one folder per class, or "
                    "pass --labels FILE with lines file<TAB>class",
                    source, *outside));
  }
  const bool numbers = std::ranges::all_of(folders, [](auto name) { return parse_number<int64_t>(name).has_value(); });
  FolderClasses classes{{}, names.empty() && !numbers ? folders.size() : 0, names.by_class()};
  for (const std::string& file : files) {
    const std::string_view folder = first_folder(file);
    const std::optional<int64_t> named = names.find(folder);
    if (!names.empty() && !named)
      return Status(Code::kInvalidArgument,
                    fmt::format("'{}': the folder '{}' is not a line of '{}', nor the first word of exactly one line",
                                source, printable(folder), names.path()));
    const int64_t unnamed =
        numbers ? *parse_number<int64_t>(folder) : std::distance(folders.begin(), folders.find(folder));
    classes.files.push_back({file, named.value_or(unnamed), 0});
    if (classes.num_positions > 0) classes.names.emplace(unnamed, folder);
  }
  return classes;
}

}  // namespace nestrt::tools
