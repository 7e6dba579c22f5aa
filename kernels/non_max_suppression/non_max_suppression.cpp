// SPDX-License-Identifier: Apache-2.0
// NonMaxSuppression: for each image and class, selects the boxes with the best scores, except those that overlap a
// better selected box by more than a threshold. The output has the maximum number of rows; unused rows contain -1.
#include <fmt/core.h>

#include <algorithm>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 2, 2));
  const ops::NonMaxSuppression& attributes = *spec.as<ops::NonMaxSuppression>();
  const Shape &boxes = spec.inputs[0].shape, &scores = spec.inputs[1].shape;
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[0], DataType::kF32, "boxes"));
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[1], DataType::kF32, "scores"));
  if (boxes.rank() != 3 || boxes[2] != 4 || scores.rank() != 3 || scores[0] != boxes[0] || scores[2] != boxes[1])
    return rule_error(fmt::format("boxes of shape {} and scores of shape {}, expected [N, B, 4] and [N, C, B]",
                                  boxes.to_string(), scores.to_string()));
  if (attributes.count < 0) return rule_error(fmt::format("count {} is negative", attributes.count));
  const int64_t each = std::min<int64_t>(attributes.count, boxes[1]);
  const int64_t dims[] = {saturating_product(saturating_product(scores[0], scores[1]), each), 3};
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, checked_shape(dims, "the output"));
  return single_output(DataType::kS64, shape);
}

struct Box {
  float top, left, bottom, right;

  static Box of(const float* stated, bool centered) {
    const float* b = stated;
    if (centered) return {b[1] - b[3] / 2, b[0] - b[2] / 2, b[1] + b[3] / 2, b[0] + b[2] / 2};
    return {std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3])};
  }
  float area() const { return (bottom - top) * (right - left); }
};

// Returns whether the intersection over union of two boxes exceeds the threshold.
bool overlaps(const Box& a, const Box& b, float threshold) {
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (!(height > 0 && width > 0)) return false;
  const float both = height * width;
  return both > threshold * (a.area() + b.area() - both);
}

// The boxes and scores of one class of one image.
struct Selection {
  const ops::NonMaxSuppression& attributes;
  const float *boxes, *scores;
  int64_t num_boxes;

  Box box(int64_t index) const { return Box::of(boxes + 4 * index, attributes.centered); }

  // Selects boxes and writes rows for `image` and `label`, starting at `row`. Returns the end of these rows. Uses
  // `order` as memory for the candidates.
  int64_t* append(int64_t image, int64_t label, int32_t* order, int64_t* row) const {
    int32_t* end = order;
    for (int64_t i = 0; i < num_boxes; ++i)
      if (attributes.scored ? scores[i] > attributes.score_threshold : scores[i] == scores[i])
        *end++ = static_cast<int32_t>(i);
    const auto is_worse = [this](int32_t a, int32_t b) {
      return scores[a] < scores[b] || (scores[a] == scores[b] && a > b);
    };
    std::make_heap(order, end, is_worse);
    const int64_t* const first = row;
    while (end != order && row - first < 3 * int64_t{attributes.count}) {
      std::pop_heap(order, end, is_worse);
      const int64_t candidate = *--end;
      const Box own = box(candidate);
      bool kept = true;
      for (const int64_t* other = first; kept && other != row; other += 3)
        kept = !overlaps(own, box(other[2]), attributes.iou_threshold);
      if (!kept) continue;
      *row++ = image;
      *row++ = label;
      *row++ = candidate;
    }
    return row;
  }
};

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  const Shape& scores = spec.inputs[1].shape;
  if (scores[2] > INT32_MAX) return Status(Code::kUnsupported, "more than 2^31 - 1 boxes");
  const ScratchSize scratch{.shared = static_cast<size_t>(scores[2]) * sizeof(int32_t)};
  return make_kernel(
      [attributes = *spec.as<ops::NonMaxSuppression>(), scores,
       elements = spec.outputs[0].shape.num_elements()](const KernelCall& call) {
        auto* const order = reinterpret_cast<int32_t*>(call.shared_scratch);
        int64_t* row = call.output<int64_t>(0);
        int64_t* const end = row + elements;
        for (int64_t i = 0; elements > 0 && i < scores[0] * scores[1]; ++i) {
          const int64_t image = i / scores[1];
          const Selection selection{attributes, call.input<float>(0) + image * scores[2] * 4,
                                    call.input<float>(1) + i * scores[2], scores[2]};
          row = selection.append(image, i % scores[1], order, row);
        }
        std::fill(row, end, int64_t{-1});
      },
      scratch);
}

// Assumes that every candidate is compared with every selected box.
int64_t steps(const OperatorSpec& spec) {
  const int64_t chosen = std::min<int64_t>(spec.as<ops::NonMaxSuppression>()->count, spec.inputs[0].shape[1]);
  return element_steps(spec, saturating_product(kFunctionSteps, saturating_sum(chosen, 64)), kCopySteps);
}

constexpr KernelVariant kKernels[] = {
    {"non_max_suppression.reference", 0, is_plain, prepare_reference},
};

}  // namespace

template <>
const OperatorRules& rules<ops::NonMaxSuppression>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kNonMaxSuppression,
      .infer = infer,
      .macs = no_macs,
      .steps = steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
