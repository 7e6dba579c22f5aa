// SPDX-License-Identifier: Apache-2.0
// Text files that accompany a network: class names, labelled images, reference results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nestrt/result.h"
#include "tools/support/text/files.h"

namespace nestrt::tools {

// Reads one class name per line. Line N, counted from 0, is class N.
Result<TextLines> read_class_names(const std::string& path);

struct LabelledFile {
  std::string file;
  int64_t label = 0;
  size_t line = 0;  // line number in the list, from 1
};

// Reads lines `file<TAB>class`; further columns are ignored. A first line whose class is not a number and whose file
// has no extension is a header. Rejects files outside the folder (an absolute path or "..") and files listed with
// different classes; repeated equal lines count once. Errors: kInvalidArgument with the line.
Result<std::vector<LabelledFile>> read_labelled_files(const std::string& path);

struct ReferenceResult {
  std::string file;
  int64_t label = 0;
  int64_t top1 = 0;
  double largest_output = 0;
};

// Reads lines `file<TAB>label<TAB>top-1 class<TAB>largest output` after an optional header.
Result<std::vector<ReferenceResult>> read_reference(const std::string& path);

}  // namespace nestrt::tools
