// SPDX-License-Identifier: Apache-2.0
// Average precision and recall of detected boxes as the COCO evaluation defines them. The figures equal those of
// pycocotools.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nestrt::tools {

// In pixels of the image.
struct Box {
  double x = 0, y = 0, width = 0, height = 0;

  double area() const { return width * height; }
};

struct AnnotatedBox {
  int64_t image = 0;
  int64_t category = 0;
  Box box;
  double area = 0;        // of the object, which may be smaller than its box
  bool is_crowd = false;  // a group: detections within it neither count as right nor as wrong
};

struct DetectedBox {
  int64_t image = 0;
  int64_t category = 0;
  Box box;
  double score = 0;
};

// Figures from 0 to 1, or -1 if no object counts for them. Objects are small below 32 x 32 pixels and large from 96 x
// 96.
struct DetectionScore {
  double ap = -1;  // mean over categories and the overlaps 0.50, 0.55, ..., 0.95
  double ap50 = -1, ap75 = -1;
  double ap_small = -1, ap_medium = -1, ap_large = -1;
  double ar1 = -1, ar10 = -1, ar100 = -1;  // recall with at most N detections per image and category
  double ar_small = -1, ar_medium = -1, ar_large = -1;
  std::vector<double> ap_of_category;  // in the order of the categories
};

// Returns the overlap of two boxes, intersection by union. With a crowd: intersection by the detection's area.
double overlap(const Box& detected, const Box& annotated, bool is_crowd);

// Scores all detections. `categories` in ascending order; boxes of other categories are ignored.
DetectionScore score_detections(std::span<const AnnotatedBox> annotated, std::span<const DetectedBox> detected,
                                std::span<const int64_t> categories);

}  // namespace nestrt::tools
