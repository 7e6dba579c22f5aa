// SPDX-License-Identifier: Apache-2.0
// TFLite_Detection_PostProcess, the custom operator after SSD networks: decodes boxes relative to anchors, suppresses
// overlapping boxes, and returns a fixed number of boxes, classes and scores and the number of valid entries. The rest
// are 0.
#include <flatbuffers/flexbuffers.h>
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <limits>

#include "compiler-lite/import/tflite/lite_table.h"

namespace nestrt::compiler {
namespace {

using ops::BinaryKind;

struct DetectionOptions {
  int64_t detections = 0, classes = 0, detections_per_class = 0;
  float score_threshold = 0, iou_threshold = 0;
  std::array<float, 4> scales{};  // y, x, height, width
  bool is_regular = false;        // suppresses boxes per class instead of across classes
};

Result<DetectionOptions> read_detection(const LiteNode& node) {
  const auto* raw = node.op().custom_options();
  if (lite_size(raw) == 0 || !flexbuffers::VerifyBuffer(raw->data(), raw->size()))
    return node.invalid("its options are missing or damaged");
  const flexbuffers::Map map = flexbuffers::GetRoot(raw->data(), raw->size()).AsMap();
  DetectionOptions options;
  options.detections = map["max_detections"].AsInt64();
  options.classes = map["num_classes"].AsInt64();
  options.detections_per_class = map["detections_per_class"].IsNull() ? 100 : map["detections_per_class"].AsInt64();
  options.score_threshold = map["nms_score_threshold"].AsFloat();
  options.iou_threshold = map["nms_iou_threshold"].AsFloat();
  options.scales = {map["y_scale"].AsFloat(), map["x_scale"].AsFloat(), map["h_scale"].AsFloat(),
                    map["w_scale"].AsFloat()};
  options.is_regular = map["use_regular_nms"].AsBool();
  for (const int64_t count : {options.detections, options.classes, options.detections_per_class})
    if (count < 1 || count > INT32_MAX) return node.invalid(fmt::format("a count of {} is out of range", count));
  for (const float scale : options.scales)
    if (!std::isfinite(scale) || scale == 0) return node.invalid("a scale of the boxes is out of range");
  if (!options.is_regular && map["max_classes_per_detection"].AsInt64() != 1)
    return node.unsupported("several classes per detection require use_regular_nms");
  return options;
}

// Builds operators on tensors whose first axis is the box or the detection.
class Detections {
 public:
  explicit Detections(LiteNode& node) : node_(node) {}

  Result<ValueId> integer(int64_t element) {
    return node_.constant(DataType::kS64, Shape(), to_bytes(std::vector{element}));
  }
  Result<ValueId> column(ValueId matrix, int64_t index) {
    return node_.slice(matrix, {0, index}, {1, 1}, {node_.shape(matrix)[0], 1});
  }
  Result<ValueId> rows(ValueId data, ValueId indices) { return node_.add(ops::Gather{.axis = 0}, {data, indices}); }

  // Returns corners [N, 4] along one axis of the image: `offset` is 0 for y and height, 1 for x and width.
  Result<std::array<ValueId, 2>> corners(ValueId boxes, ValueId anchors, const DetectionOptions& options,
                                         int64_t offset) {
    const auto scaled = [&](int64_t index) -> Result<ValueId> {
      NESTRT_ASSIGN_OR_RETURN(const ValueId entry, column(boxes, index));
      NESTRT_ASSIGN_OR_RETURN(const ValueId scale, node_.scalar(options.scales[static_cast<size_t>(index)]));
      return node_.binary(BinaryKind::kDiv, entry, scale);
    };
    NESTRT_ASSIGN_OR_RETURN(const ValueId anchor, column(anchors, offset));
    NESTRT_ASSIGN_OR_RETURN(const ValueId extent, column(anchors, offset + 2));
    NESTRT_ASSIGN_OR_RETURN(ValueId center, scaled(offset));
    NESTRT_ASSIGN_OR_RETURN(center, node_.binary(BinaryKind::kMul, center, extent));
    NESTRT_ASSIGN_OR_RETURN(center, node_.binary(BinaryKind::kAdd, center, anchor));
    NESTRT_ASSIGN_OR_RETURN(ValueId half, scaled(offset + 2));
    NESTRT_ASSIGN_OR_RETURN(half, node_.unary(ops::UnaryKind::kExp, half));
    NESTRT_ASSIGN_OR_RETURN(const ValueId factor, node_.scalar(0.5f));
    NESTRT_ASSIGN_OR_RETURN(half, node_.binary(BinaryKind::kMul, half, factor));
    NESTRT_ASSIGN_OR_RETURN(half, node_.binary(BinaryKind::kMul, half, extent));
    NESTRT_ASSIGN_OR_RETURN(const ValueId low, node_.binary(BinaryKind::kSub, center, half));
    NESTRT_ASSIGN_OR_RETURN(const ValueId high, node_.binary(BinaryKind::kAdd, center, half));
    return std::array{low, high};
  }

  Result<ValueId> decode(ValueId boxes, ValueId anchors, const DetectionOptions& options) {
    NESTRT_ASSIGN_OR_RETURN(const auto y, corners(boxes, anchors, options, 0));
    NESTRT_ASSIGN_OR_RETURN(const auto x, corners(boxes, anchors, options, 1));
    return node_.add(ops::Concat{.axis = 1}, {y[0], x[0], y[1], x[1]});
  }

  // Returns rows [image, class, box], the best first. `scores`: [classes, boxes].
  Result<ValueId> suppress(ValueId boxes, ValueId scores, int64_t count, const DetectionOptions& options) {
    const Shape shape = node_.shape(scores);
    NESTRT_ASSIGN_OR_RETURN(boxes, node_.reshape(boxes, {1, shape[1], 4}));
    NESTRT_ASSIGN_OR_RETURN(scores, node_.reshape(scores, {1, shape[0], shape[1]}));
    ops::NonMaxSuppression op;
    op.count = static_cast<int32_t>(count);
    op.iou_threshold = options.iou_threshold;
    // A score equal to the threshold is accepted.
    op.score_threshold = std::nextafter(options.score_threshold, -std::numeric_limits<float>::infinity());
    op.scored = true;
    return node_.add(op, {boxes, scores});
  }

  // Returns the rows with the best scores of all classes.
  Result<ValueId> best_rows(ValueId rows_of_classes, ValueId scores, int64_t count) {
    const int64_t boxes = node_.shape(scores)[1], candidates = node_.shape(rows_of_classes)[0];
    NESTRT_ASSIGN_OR_RETURN(const ValueId flat, node_.reshape(scores, {node_.shape(scores).num_elements()}));
    NESTRT_ASSIGN_OR_RETURN(ValueId at, entries(rows_of_classes, 1));
    NESTRT_ASSIGN_OR_RETURN(const ValueId stride, integer(boxes));
    NESTRT_ASSIGN_OR_RETURN(at, node_.binary(BinaryKind::kMul, at, stride));
    NESTRT_ASSIGN_OR_RETURN(const ValueId box, entries(rows_of_classes, 2));
    NESTRT_ASSIGN_OR_RETURN(at, node_.binary(BinaryKind::kAdd, at, box));
    NESTRT_ASSIGN_OR_RETURN(const ValueId valid, is_valid(rows_of_classes));
    NESTRT_ASSIGN_OR_RETURN(const ValueId found, rows(flat, at));
    NESTRT_ASSIGN_OR_RETURN(const ValueId lowest, node_.scalar(-std::numeric_limits<float>::infinity()));
    NESTRT_ASSIGN_OR_RETURN(const ValueId ranked, node_.add(ops::Select(), {valid, found, lowest}));
    const auto kept = static_cast<int32_t>(std::min(count, candidates));
    NESTRT_ASSIGN_OR_RETURN(const ValueId order, node_.add(ops::TopK{.axis = 0, .count = kept}, {ranked}));
    return rows(rows_of_classes, order);
  }

  Result<ValueId> is_valid(ValueId selected) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId box, raw_entries(selected, 2));
    NESTRT_ASSIGN_OR_RETURN(const ValueId zero, integer(0));
    return node_.binary(BinaryKind::kGreaterOrEqual, box, zero);
  }

  // Returns a column of the selected rows, with 0 instead of -1.
  Result<ValueId> entries(ValueId selected, int64_t index) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId raw, raw_entries(selected, index));
    NESTRT_ASSIGN_OR_RETURN(const ValueId zero, integer(0));
    return node_.binary(BinaryKind::kMax, raw, zero);
  }

  // Defines an output of `count` detections from the values of the valid ones.
  Status finish(size_t output, ValueId values, ValueId valid, int64_t count) {
    const int64_t kept = node_.shape(values)[0], width = node_.shape(values).rank() == 2 ? 4 : 1;
    NESTRT_ASSIGN_OR_RETURN(values, node_.reshape(values, {kept, width}));
    NESTRT_ASSIGN_OR_RETURN(valid, node_.reshape(valid, {kept, 1}));
    NESTRT_ASSIGN_OR_RETURN(const ValueId zero, node_.scalar(0));
    NESTRT_ASSIGN_OR_RETURN(values, node_.add(ops::Select(), {valid, values, zero}));
    if (kept < count) {
      NESTRT_ASSIGN_OR_RETURN(values, node_.add(ops::Pad{.begin = {0, 0}, .end = {count - kept, 0}}, {values}));
    }
    NESTRT_ASSIGN_OR_RETURN(values, node_.reshape(values, width == 1 ? Shape{1, count} : Shape{1, count, width}));
    return node_.set(output, values);
  }

 private:
  Result<ValueId> raw_entries(ValueId selected, int64_t index) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId entry, column(selected, index));
    return node_.reshape(entry, {node_.shape(selected)[0]});
  }

  LiteNode& node_;
};

struct DetectionInputs {
  ValueId boxes = kNoValue;   // encoded, [N, 4]
  ValueId scores = kNoValue;  // [N, classes], without the background
  ValueId anchors = kNoValue;
};

Result<DetectionInputs> read_inputs(LiteNode& node, const DetectionOptions& options) {
  DetectionInputs inputs;
  NESTRT_ASSIGN_OR_RETURN(inputs.boxes, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(inputs.scores, node.input(1));
  NESTRT_ASSIGN_OR_RETURN(inputs.anchors, node.input(2));
  const Shape boxes = node.shape(inputs.boxes), scores = node.shape(inputs.scores),
              anchors = node.shape(inputs.anchors);
  const bool fits = boxes.rank() == 3 && scores.rank() == 3 && anchors.rank() == 2 && boxes[0] == 1 && scores[0] == 1 &&
                    boxes[1] >= 1 && boxes[1] == scores[1] && boxes[1] == anchors[0] && boxes[2] >= 4 &&
                    anchors[1] == 4 && (scores[2] == options.classes || scores[2] == options.classes + 1);
  if (!fits)
    return node.invalid(fmt::format("boxes {}, scores {} and anchors {} do not fit {} classes", boxes.to_string(),
                                    scores.to_string(), anchors.to_string(), options.classes));
  const int64_t count = boxes[1], background = scores[2] - options.classes;
  NESTRT_ASSIGN_OR_RETURN(inputs.boxes, node.reshape(inputs.boxes, {count, boxes[2]}));
  NESTRT_ASSIGN_OR_RETURN(inputs.boxes, node.slice(inputs.boxes, {0, 0}, {1, 1}, {count, 4}));
  NESTRT_ASSIGN_OR_RETURN(inputs.scores, node.reshape(inputs.scores, {count, scores[2]}));
  NESTRT_ASSIGN_OR_RETURN(inputs.scores, node.slice(inputs.scores, {0, background}, {1, 1}, {count, options.classes}));
  return inputs;
}

// Properties of the selected boxes, each of shape [detections].
struct Selected {
  ValueId rows = kNoValue, classes = kNoValue, scores = kNoValue;
};

// Each box gets the class with its best score, and all boxes compete with each other.
Result<Selected> select_by_box(LiteNode& node, ValueId boxes, ValueId scores, const DetectionOptions& options) {
  Detections build(node);
  const int64_t count = node.shape(scores)[0];
  const ops::Reduce maximum{.kind = ops::ReduceKind::kMax, .axes = {1}, .keep_dims = false};
  NESTRT_ASSIGN_OR_RETURN(const ValueId best, node.add(maximum, {scores}));
  ops::ArgReduce arg;
  arg.axis = 1;
  arg.keep_dims = false;
  NESTRT_ASSIGN_OR_RETURN(const ValueId labels, node.add(arg, {scores}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId by_class, node.reshape(best, {1, count}));
  Selected selected;
  NESTRT_ASSIGN_OR_RETURN(selected.rows, build.suppress(boxes, by_class, options.detections, options));
  NESTRT_ASSIGN_OR_RETURN(const ValueId box, build.entries(selected.rows, 2));
  NESTRT_ASSIGN_OR_RETURN(selected.classes, build.rows(labels, box));
  NESTRT_ASSIGN_OR_RETURN(selected.scores, build.rows(best, box));
  return selected;
}

// Boxes compete within each class; then the best ones of all classes are selected.
Result<Selected> select_by_class(LiteNode& node, ValueId boxes, ValueId scores, const DetectionOptions& options) {
  Detections build(node);
  NESTRT_ASSIGN_OR_RETURN(const ValueId by_class, node.transpose(scores, {1, 0}));
  const Shape shape = node.shape(by_class);
  NESTRT_ASSIGN_OR_RETURN(const ValueId all, build.suppress(boxes, by_class, options.detections_per_class, options));
  Selected selected;
  NESTRT_ASSIGN_OR_RETURN(selected.rows, build.best_rows(all, by_class, options.detections));
  NESTRT_ASSIGN_OR_RETURN(selected.classes, build.entries(selected.rows, 1));
  NESTRT_ASSIGN_OR_RETURN(const ValueId box, build.entries(selected.rows, 2));
  NESTRT_ASSIGN_OR_RETURN(const ValueId stride, build.integer(shape[1]));
  NESTRT_ASSIGN_OR_RETURN(ValueId at, node.binary(BinaryKind::kMul, selected.classes, stride));
  NESTRT_ASSIGN_OR_RETURN(at, node.binary(BinaryKind::kAdd, at, box));
  NESTRT_ASSIGN_OR_RETURN(const ValueId flat, node.reshape(by_class, {shape.num_elements()}));
  NESTRT_ASSIGN_OR_RETURN(selected.scores, build.rows(flat, at));
  return selected;
}

Status import_detection(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const DetectionOptions options, read_detection(node));
  NESTRT_ASSIGN_OR_RETURN(const DetectionInputs inputs, read_inputs(node, options));
  Detections build(node);
  NESTRT_ASSIGN_OR_RETURN(const ValueId boxes, build.decode(inputs.boxes, inputs.anchors, options));
  NESTRT_ASSIGN_OR_RETURN(const Selected selected, options.is_regular
                                                       ? select_by_class(node, boxes, inputs.scores, options)
                                                       : select_by_box(node, boxes, inputs.scores, options));
  NESTRT_ASSIGN_OR_RETURN(const ValueId valid, build.is_valid(selected.rows));
  NESTRT_ASSIGN_OR_RETURN(const ValueId box, build.entries(selected.rows, 2));
  NESTRT_ASSIGN_OR_RETURN(const ValueId found, build.rows(boxes, box));
  NESTRT_ASSIGN_OR_RETURN(const ValueId labels, node.cast(selected.classes, DataType::kF32));
  NESTRT_RETURN_IF_ERROR(build.finish(0, found, valid, options.detections));
  NESTRT_RETURN_IF_ERROR(build.finish(1, labels, valid, options.detections));
  NESTRT_RETURN_IF_ERROR(build.finish(2, selected.scores, valid, options.detections));
  NESTRT_ASSIGN_OR_RETURN(const ValueId ones, node.cast(valid, DataType::kF32));
  const ops::Reduce sum{.kind = ops::ReduceKind::kSum, .axes = {0}, .keep_dims = true};
  NESTRT_ASSIGN_OR_RETURN(const ValueId total, node.add(sum, {ones}));
  return node.set(3, total);
}

constexpr LiteRule kLiteDetectionRules[] = {
    {.code = LiteOp::CUSTOM, .num_inputs = 3, .import = import_detection, .custom = "TFLite_Detection_PostProcess"},
};

}  // namespace

std::span<const LiteRule> lite_detection_rules() { return kLiteDetectionRules; }

}  // namespace nestrt::compiler
