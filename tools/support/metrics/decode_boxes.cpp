// SPDX-License-Identifier: Apache-2.0
#include "tools/support/metrics/decode_boxes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "tools/support/metrics/elements.h"

namespace nestrt::tools {
namespace {

constexpr size_t kMaxCandidates = 30000;  // boxes that are compared with each other
constexpr int64_t kNumRowColumns = 6;

bool is_shaped(const TensorInfo& output, int rank, int64_t last) {
  return output.shape.rank() == rank && (last == 0 || output.shape[rank - 1] == last);
}

bool is_ssd(std::span<const TensorInfo> outputs) {
  return outputs.size() == 4 && is_shaped(outputs[0], 3, 4) && is_shaped(outputs[1], 2, outputs[0].shape[1]) &&
         is_shaped(outputs[2], 2, outputs[0].shape[1]) && outputs[3].shape.rank() == 1;
}

bool has_form(BoxForm form, std::span<const TensorInfo> outputs) {
  const bool is_table = !outputs.empty() && is_shaped(outputs[0], 3, 0) && outputs[0].type == DataType::kF32;
  switch (form) {
    case BoxForm::kRows:
      return is_table && outputs[0].shape[2] == kNumRowColumns;
    case BoxForm::kYolo:
      return is_table && std::min(outputs[0].shape[1], outputs[0].shape[2]) > 4;
    case BoxForm::kYoloObjectness:
      return is_table && outputs[0].shape[2] > 5;
    case BoxForm::kSsd:
      return is_ssd(outputs);
  }
  return false;
}

struct NamedForm {
  std::string_view name;
  BoxForm form;
};
// In the order in which "auto" tries them.
constexpr NamedForm kForms[] = {{"ssd", BoxForm::kSsd},
                                {"rows", BoxForm::kRows},
                                {"yolo", BoxForm::kYolo},
                                {"yolo_objectness", BoxForm::kYoloObjectness}};

// The boxes and attributes of one image, [num_boxes][num_columns] in either order.
class BoxTable {
 public:
  BoxTable(const ConstTensorView& values, bool columns_first) : values_(values), columns_first_(columns_first) {}

  size_t num_boxes() const { return dim(columns_first_ ? 1 : 0); }
  size_t num_columns() const { return dim(columns_first_ ? 0 : 1); }
  double at(size_t box, size_t column) const {
    return element(values_, columns_first_ ? column * num_boxes() + box : box * num_columns() + column);
  }

 private:
  size_t dim(int axis) const { return static_cast<size_t>(values_.shape[axis]); }

  ConstTensorView values_;
  bool columns_first_;
};

void sort_by_score(std::vector<FoundBox>& boxes) {
  std::ranges::stable_sort(boxes, std::ranges::greater{}, &FoundBox::score);
}

// Rows with NaN, and unused ones, which many networks fill with a class of -1, are skipped.
bool is_valid(const FoundBox& box, double label, const BoxLimits& limits) {
  const double sum = box.box.x + box.box.y + box.box.width + box.box.height;
  return label >= 0 && box.score >= limits.min_score && std::isfinite(sum);
}

std::vector<FoundBox> decode_rows(const BoxTable& table, const BoxLimits& limits) {
  std::vector<FoundBox> boxes;
  for (size_t i = 0; i < table.num_boxes(); ++i) {
    const double left = table.at(i, 0), top = table.at(i, 1), label = table.at(i, 5);
    FoundBox box{0, table.at(i, 4), {left, top, table.at(i, 2) - left, table.at(i, 3) - top}};
    if (!is_valid(box, label, limits)) continue;
    box.label = static_cast<size_t>(std::min(label, 1e9));
    boxes.push_back(box);
  }
  sort_by_score(boxes);
  return boxes;
}

// Keeps only the best of the overlapping boxes of each class.
std::vector<FoundBox> suppress_overlapping(std::vector<FoundBox> boxes, double max_overlap) {
  sort_by_score(boxes);
  if (boxes.size() > kMaxCandidates) boxes.resize(kMaxCandidates);
  std::vector<FoundBox> kept;
  for (const FoundBox& box : boxes) {
    const bool overlaps = std::ranges::any_of(kept, [&](const FoundBox& better) {
      return better.label == box.label && overlap(box.box, better.box, false) > max_overlap;
    });
    if (!overlaps) kept.push_back(box);
  }
  return kept;
}

std::vector<FoundBox> decode_yolo(const BoxTable& table, bool has_objectness, const BoxLimits& limits) {
  const size_t first = has_objectness ? 5 : 4;
  std::vector<FoundBox> boxes;
  for (size_t i = 0; i < table.num_boxes(); ++i) {
    const double width = table.at(i, 2), height = table.at(i, 3);
    const double factor = has_objectness ? table.at(i, 4) : 1;
    FoundBox box{0, 0, {table.at(i, 0) - width / 2, table.at(i, 1) - height / 2, width, height}};
    for (box.label = 0; box.label + first < table.num_columns(); ++box.label) {
      box.score = table.at(i, box.label + first) * factor;
      if (is_valid(box, 0, limits)) boxes.push_back(box);
    }
  }
  return suppress_overlapping(std::move(boxes), limits.max_overlap);
}

std::vector<FoundBox> decode_ssd(std::span<const TensorView> outputs, size_t row, double width, double height,
                                 const BoxLimits& limits) {
  const ConstTensorView corners = row_of(outputs[0], row), labels = row_of(outputs[1], row);
  const ConstTensorView scores = row_of(outputs[2], row);
  const auto num_rows = static_cast<size_t>(labels.shape[0]);
  const double stated = element(outputs[3], row);
  const size_t count = stated >= 0 && stated < static_cast<double>(num_rows) ? static_cast<size_t>(stated) : num_rows;
  std::vector<FoundBox> boxes;
  for (size_t i = 0; i < count; ++i) {
    const double top = element(corners, 4 * i) * height, left = element(corners, 4 * i + 1) * width;
    const double bottom = element(corners, 4 * i + 2) * height, right = element(corners, 4 * i + 3) * width;
    FoundBox box{0, element(scores, i), {left, top, right - left, bottom - top}};
    const double label = element(labels, i);
    if (!is_valid(box, label, limits)) continue;
    box.label = static_cast<size_t>(std::min(label, 1e9));
    boxes.push_back(box);
  }
  sort_by_score(boxes);
  return boxes;
}

std::string describe_outputs(std::span<const TensorInfo> outputs) {
  std::string text;
  for (const TensorInfo& output : outputs)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name(output.type), output.shape.to_string());
  return text;
}

}  // namespace

Result<BoxForm> box_form(const std::string& name, std::span<const TensorInfo> outputs) {
  for (const NamedForm& known : kForms) {
    const bool may_be = name == "auto" ? known.form != BoxForm::kYoloObjectness : known.name == name;
    if (may_be && has_form(known.form, outputs)) return known.form;
  }
  return Status(Code::kInvalidArgument,
                fmt::format("the plan's outputs ({}) are not boxes of the form '{}'; supported for a batch of B: rows "
                            "(BxNx6: left, top, right, bottom, score, class), yolo (Bx(4+C)xN or BxNx(4+C)), "
                            "yolo_objectness (BxNx(5+C)), ssd (BxNx4, BxN, BxN, B)",
                            describe_outputs(outputs), name));
}

std::vector<FoundBox> decode_boxes(BoxForm form, std::span<const TensorView> outputs, size_t row, double input_width,
                                   double input_height, const BoxLimits& limits) {
  if (form == BoxForm::kSsd) return decode_ssd(outputs, row, input_width, input_height, limits);
  const ConstTensorView values = row_of(outputs[0], row);
  if (form == BoxForm::kRows) return decode_rows(BoxTable(values, false), limits);
  const bool has_objectness = form == BoxForm::kYoloObjectness;
  // Networks have more boxes than columns.
  const bool columns_first = !has_objectness && values.shape[0] < values.shape[1];
  return decode_yolo(BoxTable(values, columns_first), has_objectness, limits);
}

}  // namespace nestrt::tools
