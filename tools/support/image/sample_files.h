// SPDX-License-Identifier: Apache-2.0
// Finds the images and arrays of a data set, and their classes according to their folders.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "nestrt/result.h"
#include "tools/support/image/labels.h"

namespace nestrt::tools {

struct SampleFiles {
  std::string folder;              // the folder that contains all files
  std::vector<std::string> files;  // paths relative to it

  std::string path(size_t index) const { return folder + "/" + files[index]; }
};

// Finds the samples of `source`, which is one of:
//   a folder:     its .jpg, .jpeg, .png, .bmp and .npy files and those of its subfolders, sorted by path. Hidden files
//                 and folders are ignored; links to folders are followed once.
//   a text file:  one path per line, relative to the folder of the file, in this order. Text after a tab is ignored.
// Errors: kNotFound; kInvalidArgument if there is no sample, `source` is a single image or array, or a path of a list
// leaves the folder.
Result<SampleFiles> find_samples(const std::string& source);

struct FolderClasses {
  std::vector<LabelledFile> files;
  size_t num_positions = 0;              // the number of folders if classes are their positions, else 0
  std::map<int64_t, std::string> names;  // of the classes: their lines or folders; empty if folders are numbers
};

// Returns the class of each file according to the first folder of its path, as in val/<class>/<file>:
//   with class names:     the class of that name (ClassNames::find)
//   numbers as folders:   the number
//   any other folders:    the position among the sorted folders, as torchvision's ImageFolder
// Errors: kInvalidArgument if a file is not in a folder, or a folder is not a class name. Messages name `source`.
Result<FolderClasses> classes_of_folders(const std::string& source, std::span<const std::string> files,
                                         const ClassNames& names);

}  // namespace nestrt::tools
