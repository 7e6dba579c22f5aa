// SPDX-License-Identifier: Apache-2.0
#include "tools/support/image/labels.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "runtime/text/parse.h"
#include "tools/support/text/printable.h"

namespace nestrt::tools {
namespace {

constexpr size_t kShown = 80;  // bytes of a rejected line in a message

std::optional<LabelledFile> parse_labelled_file(std::string_view line, size_t number, const ClassNames& names) {
  const auto columns = split(line, "\t");
  if (columns.size() < 2 || columns[0].empty()) return std::nullopt;
  std::optional<int64_t> label = names.find(columns[1]);
  if (!label) label = parse_number<int64_t>(columns[1]);
  if (!label) return std::nullopt;
  return LabelledFile{std::string(columns[0]), *label, number};
}

std::string expected_columns(const ClassNames& names) {
  if (names.empty()) return "file<TAB>class, a number (or a name, with a file of class names)";
  return fmt::format("file<TAB>class, a name in '{}' or a number", names.path());
}

std::optional<ReferenceResult> parse_reference(std::string_view line, size_t) {
  const auto columns = split(line, "\t");
  if (columns.size() < 4 || columns[0].empty()) return std::nullopt;
  const auto label = parse_number<int64_t>(columns[1]);
  const auto top1 = parse_number<int64_t>(columns[2]);
  const auto largest = parse_number<double>(columns[3]);
  if (!label || !top1 || !largest) return std::nullopt;
  return ReferenceResult{plain_name(columns[0]), *label, *top1, *largest};
}

// Returns whether a line is a header, which names columns. A name with the extension of a sample file is not a header.
bool is_head(std::string_view line) {
  if (line.find('\t') == std::string_view::npos) return false;
  const std::string_view first = split(line, "\t")[0];
  return first.find('.') == std::string_view::npos;
}

// Passes each line and its number to `parse`, except blank lines and a header in the first line.
template <typename Parse>
auto read_table(const std::string& path, std::string_view expected, Parse parse)
    -> Result<std::vector<typename decltype(parse(std::string_view(), 0))::value_type>> {
  NESTRT_ASSIGN_OR_RETURN(const TextLines text, read_lines(path));
  const std::vector<std::string_view>& lines = text.lines();
  std::vector<typename decltype(parse(std::string_view(), 0))::value_type> rows;
  rows.reserve(static_cast<size_t>(std::count_if(lines.begin(), lines.end(), [](auto line) { return !line.empty(); })));
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    auto row = parse(lines[i], i + 1);
    if (row) {
      rows.push_back(std::move(*row));
    } else if (i > 0 || !is_head(lines[i])) {
      return Status(Code::kInvalidArgument, fmt::format("'{}' line {}: expected {}; it is '{}'", path, i + 1, expected,
                                                        printable(lines[i].substr(0, kShown))));
    }
  }
  if (rows.empty()) {
    return Status(Code::kInvalidArgument, fmt::format("'{}' does not contain any line with {}", path, expected));
  }
  return rows;
}

}  // namespace

bool leaves_folder(const std::filesystem::path& file) {
  return file.is_absolute() || std::find(file.begin(), file.end(), "..") != file.end();
}

std::string plain_name(std::string_view name) { return std::filesystem::path(name).lexically_normal().string(); }

Result<TextLines> read_class_names(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(TextLines names, read_lines(path));
  while (!names.lines().empty() && names.lines().back().empty()) names.pop_back();
  if (names.lines().empty()) {
    return Status(Code::kInvalidArgument, fmt::format("'{}' is empty; expected one class name per line", path));
  }
  if (names.lines().front().find('\t') != std::string_view::npos)
    return Status(
        Code::kInvalidArgument,
        fmt::format("'{}' has lines of several columns, like the labels of nestrt eval; expected one class name "
                    "per line",
                    path));
  return names;
}

Result<ClassNames> ClassNames::read(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const TextLines text, read_class_names(path));
  ClassNames names;
  names.path_ = path;
  for (int64_t index = 0; const std::string_view line : text.lines()) {
    names.classes_.emplace(line, index);
    const auto [word, is_new] = names.first_words_.emplace(line.substr(0, line.find_first_of(" ,")), index);
    if (!is_new) word->second = kAmbiguous;
    ++index;
  }
  return names;
}

std::optional<int64_t> ClassNames::find(std::string_view name) const {
  const std::string key(name);
  if (const auto whole = classes_.find(key); whole != classes_.end()) return whole->second;
  if (const auto word = first_words_.find(key); word != first_words_.end() && word->second != kAmbiguous)
    return word->second;
  return std::nullopt;
}

std::map<int64_t, std::string> ClassNames::by_class() const {
  std::map<int64_t, std::string> names;
  for (const auto& [name, index] : classes_) names.emplace(index, name);
  return names;
}

Result<std::vector<LabelledFile>> read_labelled_files(const std::string& path, const ClassNames& names) {
  const auto parse = [&](std::string_view line, size_t number) { return parse_labelled_file(line, number, names); };
  NESTRT_ASSIGN_OR_RETURN(auto rows, read_table(path, expected_columns(names), parse));
  std::unordered_map<std::string, int64_t> classes;
  std::vector<LabelledFile> files;
  files.reserve(rows.size());
  for (LabelledFile& row : rows) {
    const auto refuse = [&](std::string_view why) {
      return Status(Code::kInvalidArgument, fmt::format("'{}' line {}: '{}' {}", path, row.line, row.file, why));
    };
    if (leaves_folder(row.file)) return refuse("leads outside the sample folder");
    row.file = plain_name(row.file);
    const auto [known, is_new] = classes.emplace(row.file, row.label);
    if (known->second != row.label) return refuse("is already listed with a different class");
    if (is_new) files.push_back(std::move(row));
  }
  return files;
}

Result<std::vector<ReferenceResult>> read_reference(const std::string& path) {
  return read_table(path, "file<TAB>label<TAB>top-1 class<TAB>largest output", parse_reference);
}

}  // namespace nestrt::tools
