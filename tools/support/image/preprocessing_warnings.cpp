// SPDX-License-Identifier: Apache-2.0
#include "tools/support/image/preprocessing_warnings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "nestrt/log.h"
#include "tools/support/image/image_options.h"

namespace nestrt::tools {
namespace {

// Calibration omits a few large values, less than half of the range. If half is clipped, the calibration used other
// preprocessing (such as x / 255 instead of x / 127.5 - 1). Ranges are powers of two, so up to half is unused anyway;
// if seven eighths are unused, most of the bits are lost.
constexpr double kClipped = 1.9, kUnused = 8;
constexpr float kFaint = 1e-4f;  // a smaller scale maps every pixel to less than 1/40

struct Range {
  double least = 0, most = 0;

  double size() const { return std::max(std::abs(least), std::abs(most)); }
};

Range range_of_images(const Preprocessing& preprocessing) {
  Range range;
  const size_t channels = std::max({preprocessing.mean.size(), preprocessing.scale.size(), size_t{1}});
  const auto at = [](const std::vector<float>& values, size_t i, float neutral) {
    return values.empty() ? neutral : values[std::min(i, values.size() - 1)];
  };
  for (size_t i = 0; i < channels; ++i) {
    for (const float pixel : {0.0f, 255.0f}) {
      const double value = (pixel - at(preprocessing.mean, i, 0)) * at(preprocessing.scale, i, 1);
      range.least = std::min(range.least, value);
      range.most = std::max(range.most, value);
    }
  }
  return range;
}

// Returns the range of an integer tensor; nothing if it does not have a single scale.
std::optional<Range> range_of(const plan::Tensor& tensor) {
  if (!tensor.quantization) return std::nullopt;
  const plan::Quantization& quantization = *tensor.quantization;
  const int least = tensor.type == DataType::kU8 ? 0 : -128;
  if (quantization.exponents.size() == 1) {
    const double step = std::exp2(-quantization.exponents[0]);
    return Range{least * step, (least + 255) * step};
  }
  if (quantization.scales.size() != 1 || quantization.zero_points.size() != 1) return std::nullopt;
  const int zero = quantization.zero_points[0];
  return Range{(least - zero) * double{quantization.scales[0]}, (least + 255 - zero) * double{quantization.scales[0]}};
}

std::optional<Range> range_of_input(const plan::Tables& tables) {
  for (const plan::Operator& op : tables.operators)
    if (op.kind() == ops::Kind::kQuantize && op.inputs[0] == static_cast<int32_t>(tables.inputs[0].tensor))
      return range_of(tables.tensors[static_cast<size_t>(op.outputs[0])]);
  return std::nullopt;
}

}  // namespace

std::vector<std::string> remarks_on(const Preprocessing& preprocessing) {
  std::vector<std::string> remarks;
  const auto is_small = [](float value) { return std::fabs(value) <= 1; };
  const auto is_zero = [](float value) { return value == 0; };
  if (!std::ranges::all_of(preprocessing.mean, is_zero) && std::ranges::all_of(preprocessing.mean, is_small))
    remarks.emplace_back(
        "--mean is at most 1, but pixels range from 0 to 255; for a network trained on pixels from 0 to 1, use 255 "
        "times its mean, and --scale 1 / (255 * its standard deviation)");
  if (std::ranges::any_of(preprocessing.scale, [](float value) { return std::fabs(value) > 1; }))
    remarks.emplace_back(
        "--scale is more than 1; pixels are multiplied by it, so use 1 / the standard deviation for a network whose "
        "input is divided by it");
  if (std::ranges::any_of(preprocessing.mean, [](float value) { return value < 0; }))
    remarks.emplace_back(
        "--mean is less than 0; it is subtracted, so change the sign of a value that another framework adds");
  if (std::ranges::any_of(preprocessing.mean, [](float value) { return value > 255; }))
    remarks.emplace_back("--mean is more than 255, the largest pixel");
  if (std::ranges::any_of(preprocessing.scale, [](float value) { return value < 0; }))
    remarks.emplace_back("--scale is less than 0, which inverts the images");
  if (!preprocessing.scale.empty() &&
      std::ranges::all_of(preprocessing.scale, [](float value) { return std::fabs(value) < kFaint; }))
    remarks.emplace_back("--scale reduces pixels from 0 to 255 to almost 0");
  return remarks;
}

namespace {

// Returns whether all activations have the exponent of the input: a single scale for the whole network, which fits
// poorly.
bool has_single_scale(const plan::Tables& tables) {
  std::set<int> exponents;
  size_t activations = 0;
  for (const plan::Tensor& tensor : tables.tensors) {
    const bool is_constant =
        tensor.buffer < tables.buffers.size() && tables.buffers[tensor.buffer].kind == plan::BufferKind::kConstant;
    if (is_constant || tensor.type != DataType::kS8 || !tensor.quantization) continue;
    ++activations;
    exponents.insert(tensor.quantization->exponents.begin(), tensor.quantization->exponents.end());
  }
  return activations > 2 && exponents.size() == 1;
}

}  // namespace

std::string remark_on_range(const plan::Tables& tables, const Preprocessing& preprocessing) {
  const std::optional<Range> integers = range_of_input(tables);
  if (!integers) return {};
  const Range images = range_of_images(preprocessing);
  const bool is_used = integers->size() <= kUnused * images.size() || has_single_scale(tables);
  if (images.size() <= kClipped * integers->size() && is_used) return {};
  const std::string options = as_options(preprocessing);
  return fmt::format(
      "images become {:.4g} to {:.4g} ({}), but the plan's input was quantized for {:.4g} to {:.4g}: it was "
      "calibrated with different preprocessing, or with samples without such pixels",
      images.least, images.most, options.empty() ? "unchanged pixels" : options, integers->least, integers->most);
}

void warn_about_preprocessing(const Preprocessing& preprocessing) {
  for (const std::string& remark : remarks_on(preprocessing)) log(LogLevel::kWarning, remark);
}

void warn_about_input_range(const plan::Tables& tables) {
  if (tables.inputs.empty() || !tables.inputs[0].preprocessing) return;
  const std::string remark = remark_on_range(tables, *tables.inputs[0].preprocessing);
  if (!remark.empty()) log(LogLevel::kWarning, remark);
}

}  // namespace nestrt::tools
