// SPDX-License-Identifier: Apache-2.0
// Text files that accompany a network: class names, labelled images, reference results.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "nestrt/result.h"
#include "tools/support/text/files.h"

namespace nestrt::tools {

// Reads one class name per line. Line N, counted from 0, is class N.
Result<TextLines> read_class_names(const std::string& path);

// Finds classes by name.
class ClassNames {
 public:
  ClassNames() = default;
  // Reads a file as read_class_names() does.
  static Result<ClassNames> read(const std::string& path);

  bool empty() const { return classes_.empty(); }
  // Returns the class whose line is `name`, or else the only class whose line starts with the word `name`, as in lists
  // of ImageNet ("n01440764 tench, Tinca tinca"). Returns nullopt if no line or several lines match.
  std::optional<int64_t> find(std::string_view name) const;
  // Returns the lines by class; a repeated line names only its first class.
  std::map<int64_t, std::string> by_class() const;
  // Returns the path of the file, for messages.
  const std::string& path() const { return path_; }

 private:
  static constexpr int64_t kAmbiguous = -1;

  std::string path_;
  std::unordered_map<std::string, int64_t> classes_;      // by the whole line
  std::unordered_map<std::string, int64_t> first_words_;  // kAmbiguous if several lines share the word
};

// Returns whether a listed path points outside the list's folder: an absolute path, or one with "..".
bool leaves_folder(const std::filesystem::path& file);
// Removes "./" and doubled slashes.
std::string plain_name(std::string_view name);

struct LabelledFile {
  std::string file;
  int64_t label = 0;
  size_t line = 0;  // line number in the list, from 1
};

// Reads lines `file<TAB>class`, where the class is a name in `names` or a number; further columns are ignored. The
// first line is a header if its class is not a number and its file has no extension. Rejects files outside the folder
// (an absolute path or "..") and files listed with different classes; repeated equal lines count once. Errors:
// kInvalidArgument with the line.
Result<std::vector<LabelledFile>> read_labelled_files(const std::string& path, const ClassNames& names = {});

struct ReferenceResult {
  std::string file;
  int64_t label = 0;
  int64_t top1 = 0;
  double largest_output = 0;
};

// Reads lines `file<TAB>label<TAB>top-1 class<TAB>largest output` after an optional header.
Result<std::vector<ReferenceResult>> read_reference(const std::string& path);

}  // namespace nestrt::tools
