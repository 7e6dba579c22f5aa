// SPDX-License-Identifier: Apache-2.0
#include "tools/support/image/classify.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nestrt/driver/plan_tables.h"
#include "tools/support/report/marked_tensors.h"

namespace nestrt::tools {

int64_t class_rows(const TensorInfo& output) {
  const Shape& shape = output.shape;
  const int rank = shape.rank();
  if (output.type != DataType::kF32 || (rank != 1 && rank != 2 && rank != 4)) return 0;
  const int64_t rows = rank == 1 ? 1 : shape[0];
  const auto begin = shape.begin() + (rank == 1 ? 0 : 1);
  const int64_t classes = *std::max_element(begin, shape.end());
  return rows > 0 && classes > 1 && shape.num_elements() == rows * classes ? rows : 0;
}

namespace {

// Returns whether a tensor is a TopK result, or values gathered with it, in any shape.
bool is_sorted(const plan::Tables& tables, uint32_t tensor) {
  return marked_tensors(tables, [](const plan::Operator& op, const auto& reads_sorted) {
    using enum ops::Kind;
    const ops::Kind kind = op.kind();
    const bool keeps = kind == kReshape || kind == kCast || kind == kReorder || kind == kDequantize;
    return kind == kTopK || (keeps && reads_sorted(0)) || (kind == kGatherElements && reads_sorted(1));
  })[tensor];
}

}  // namespace

int64_t class_rows(const Plan& plan, size_t output) {
  return is_sorted(plan.tables(), plan.tables().outputs[output]) ? 0 : class_rows(plan.outputs()[output]);
}

std::vector<size_t> largest(std::span<const float> values, size_t count) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  count = std::min(count, values.size());
  const auto before = [&](size_t a, size_t b) {
    if (std::isnan(values[a]) || std::isnan(values[b])) {
      return std::isnan(values[a]) == std::isnan(values[b]) ? a < b : std::isnan(values[b]);
    }
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(), before);
  order.resize(count);
  return order;
}

std::string remark_on_background(int64_t classes, int64_t offset, int64_t largest_label) {
  constexpr int64_t kWithBackground = 1001;
  if (classes != kWithBackground || offset != 0 || largest_label >= classes - 1) return {};
  return "the network has 1001 classes; pass --offset -1 if its first one is background and not in the labels";
}

std::string remark_on_guessing(uint64_t right, uint64_t samples, int64_t classes) {
  constexpr uint64_t kFewSamples = 10;
  if (samples < kFewSamples || static_cast<double>(right) * static_cast<double>(classes) > static_cast<double>(samples))
    return {};
  return fmt::format(
      "{} of {} samples are correct, which is not above chance for {} classes; check that the labels belong to these "
      "samples, that they are numbered as in the network (see the offset), and the preprocessing",
      right, samples, classes);
}

bool is_distribution(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) {
    if (!(value >= 0 && value <= 1)) return false;
    sum += value;
  }
  return std::abs(sum - 1) < 1e-3;
}

bool holds_numbers(const ConstTensorView& tensor) {
  if (tensor.type != DataType::kF32) return true;
  const std::span values(static_cast<const float*>(tensor.data), static_cast<size_t>(tensor.shape.num_elements()));
  return std::ranges::none_of(values, [](float value) { return std::isnan(value); });
}

}  // namespace nestrt::tools
