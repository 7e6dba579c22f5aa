// SPDX-License-Identifier: Apache-2.0
// Finds the boxes in a detector's outputs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "nestrt/tensor.h"
#include "tools/support/metrics/detection.h"

namespace nestrt::tools {

// The forms of a detector's outputs for one image. Boxes are in pixels of the input, except for kSsd.
//   kRows            [N, 6]: left, top, right, bottom, score, class; already without overlapping boxes
//   kYolo            [4 + C, N] or [N, 4 + C]: centre, size and the scores of the classes
//   kYoloObjectness  [N, 5 + C]: as kYolo, with the score of any object before the classes
//   kSsd             boxes [N, 4] (top, left, bottom, right, as fractions of the input), classes [N], scores [N], count
//                    [], as the detection operator of TensorFlow Lite returns them
enum class BoxForm { kRows, kYolo, kYoloObjectness, kSsd };

// Returns the form of a plan's outputs for a batch, by `name` ("rows", "yolo", "yolo_objectness", "ssd"), or if it is
// "auto" by their shapes; kYoloObjectness must be named. Errors: kInvalidArgument if the outputs do not have the form.
Result<BoxForm> box_form(const std::string& name, std::span<const TensorInfo> outputs);

struct FoundBox {
  size_t label = 0;
  double score = 0;
  Box box;  // in pixels of the input
};

struct BoxLimits {
  double min_score = 0.001;
  double max_overlap = 0.7;  // of boxes of the same class; for forms that still contain overlapping boxes
};

// Returns the boxes of one image of the batch, best first. `outputs` are those of the plan, with the batch as their
// first dimension.
std::vector<FoundBox> decode_boxes(BoxForm form, std::span<const TensorView> outputs, size_t row, double input_width,
                                   double input_height, const BoxLimits& limits);

}  // namespace nestrt::tools
