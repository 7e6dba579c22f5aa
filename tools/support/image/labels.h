// Text files beside a network: class names, labelled images, reference results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nestrt/result.h"
#include "tools/support/text/files.h"

namespace nestrt::tools {

// One class name per line; the line number from 0 is the class.
Result<TextLines> read_class_names(const std::string& path);

struct LabelledFile {
  std::string file;
  int64_t label = 0;
  size_t line = 0;  // in the file that lists it, from 1
};

// Lines `file<TAB>class`; further columns are ignored, so is a first line whose class is no number and whose file has
// no ending (a header). A file that would lie outside the folder to which the names refer (an absolute path, "..") is
// refused, and one that is named twice with different classes; named twice with the same one it counts once. Errors:
// kInvalidArgument naming the line.
Result<std::vector<LabelledFile>> read_labelled_files(const std::string& path);

struct ReferenceResult {
  std::string file;
  int64_t label = 0;
  int64_t top1 = 0;
  double largest_output = 0;
};

// Lines `file<TAB>label<TAB>top-1 class<TAB>largest output` after an optional header line.
Result<std::vector<ReferenceResult>> read_reference(const std::string& path);

}  // namespace nestrt::tools
