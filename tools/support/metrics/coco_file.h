// SPDX-License-Identifier: Apache-2.0
// Reads COCO annotations: the images, categories and boxes of a data set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nestrt/result.h"
#include "tools/support/metrics/detection.h"
#include "tools/support/text/json.h"

namespace nestrt::tools {

struct CocoImage {
  int64_t id = 0;
  std::string file;  // relative to the folder of the images
};

struct CocoAnnotations {
  std::vector<CocoImage> images;
  std::vector<int64_t> categories;  // ascending ids
  std::vector<std::string> names;   // of the categories
  std::vector<AnnotatedBox> boxes;
};

// Errors: those of read_json(); kInvalidArgument if a member is missing or invalid, an id is repeated, an annotation
// has an unknown image or category, or a file is outside the folder.
Result<CocoAnnotations> read_coco_annotations(const std::string& path);

// Returns "bbox", [x, y, width, height]. Errors: kInvalidArgument.
Result<Box> coco_box(const Json& annotation);

}  // namespace nestrt::tools
