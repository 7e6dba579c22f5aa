// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/layer/layer.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

namespace nestrt::compiler::evta {
namespace {

constexpr int64_t kMaxPad = 15;         // four bits of an instruction
constexpr int kMaxImmediateShift = 15;  // largest left shift in one instruction
constexpr int kMaxResidualShift = 6;    // 2^6 is the largest power of two that fits a weight
constexpr int64_t kMaxExtent = 65535;   // side of an image: 16 bits of an instruction
constexpr int64_t kMaxChannels = 1 << 20;
constexpr int64_t kMaxImages = 1 << 16;

Status refused(const ConvLayer& layer, Code code, std::string_view why) {
  return Status(code, fmt::format("layer '{}': {}", layer.name, why));
}

bool in_range(int64_t value, int64_t low, int64_t high) { return low <= value && value <= high; }

Status check_axis(const ConvLayer& layer, const LayerAxis& axis, std::string_view which) {
  if (!in_range(axis.input, 1, kMaxExtent) || !in_range(axis.kernel, 1, kMaxExtent) ||
      !in_range(axis.stride, 1, kMaxExtent) || axis.pad_begin < 0 || axis.pad_end < 0) {
    return refused(layer, Code::kInvalidArgument,
                   fmt::format("{}: size, kernel and stride must be between 1 and 65535", which));
  }
  if (axis.pad_begin > kMaxPad || axis.pad_end > kMaxPad) {
    return refused(layer, Code::kUnsupported, fmt::format("{}: pads must be at most {} elements", which, kMaxPad));
  }
  if (axis.pad_begin >= axis.kernel || axis.pad_end >= axis.kernel) {
    return refused(layer, Code::kUnsupported, fmt::format("{}: pads must be smaller than the kernel", which));
  }
  if (axis.input + axis.pad_begin + axis.pad_end < axis.kernel) {
    return refused(layer, Code::kInvalidArgument, fmt::format("{}: the kernel is larger than the padded input", which));
  }
  return ok_status();
}

Status check_channels(const ConvLayer& layer) {
  if (!in_range(layer.images, 1, kMaxImages) || !in_range(layer.in_channels, 1, kMaxChannels) ||
      !in_range(layer.out_channels, 1, kMaxChannels) || !in_range(layer.groups, 1, layer.in_channels)) {
    return refused(layer, Code::kInvalidArgument, "numbers of images, channels and groups are out of range");
  }
  if (layer.in_channels % layer.groups != 0 || layer.out_channels % layer.groups != 0) {
    return refused(layer, Code::kInvalidArgument, "the groups do not divide the channels");
  }
  return ok_status();
}

Status check_constants(const ConvLayer& layer) {
  const auto outputs = static_cast<size_t>(layer.out_channels);
  const int64_t weights = layer.out_channels * (layer.in_channels / layer.groups) * layer.y.kernel * layer.x.kernel;
  const bool depthwise = layer.in_channels == layer.groups && layer.out_channels == layer.groups;
  if (layer.is_identity() ? !depthwise : layer.weights.size() != static_cast<uint64_t>(weights)) {
    return refused(layer, Code::kInvalidArgument,
                   fmt::format("expected {} weights, got {}", weights, layer.weights.size()));
  }
  if (!layer.bias.empty() && layer.bias.size() != outputs) {
    return refused(layer, Code::kInvalidArgument, "expected one bias per output channel");
  }
  if (layer.shifts.size() != 1 && layer.shifts.size() != outputs) {
    return refused(layer, Code::kInvalidArgument, "expected one shift, or one per output channel");
  }
  if (*std::max_element(layer.shifts.begin(), layer.shifts.end()) > s8::kMaxShift) {
    return refused(layer, Code::kUnsupported, fmt::format("shifts must be at most {}", s8::kMaxShift));
  }
  return ok_status();
}

Status check_bounds(const ConvLayer& layer) {
  for (const s8::Bounds& bounds : {layer.bounds, layer.input_bounds}) {
    if (bounds.low < s8::kLow || bounds.high > s8::kHigh || bounds.low > bounds.high) {
      return refused(layer, Code::kInvalidArgument, "bounds must be in [-128, 127]");
    }
  }
  if (!layer.residual) return ok_status();
  if (layer.wide)
    return refused(layer, Code::kInvalidArgument, "its results are accumulators, which do not support a residual");
  if (!layer.residual->valid()) return refused(layer, Code::kInvalidArgument, "the residual's shifts are out of range");
  if (layer.residual->left_b > kMaxResidualShift || layer.residual->left_a > kMaxImmediateShift) {
    return refused(layer, Code::kUnsupported, "the exponents of the operands of the addition are too far apart");
  }
  return ok_status();
}

}  // namespace

ConvLayer some_channels(const ConvLayer& layer, int64_t begin, int64_t end) {
  ConvLayer some = layer;
  some.out_channels = end - begin;
  if (layer.groups > 1) some.in_channels = some.groups = end - begin;
  const auto cut = [&](auto& list, size_t of_channel) {
    const auto first = list.begin() + begin * static_cast<int64_t>(of_channel);
    list = {first, first + (end - begin) * static_cast<int64_t>(of_channel)};
  };
  cut(some.weights, layer.weights.size() / static_cast<size_t>(layer.out_channels));
  if (!some.bias.empty()) cut(some.bias, 1);
  if (some.shifts.size() > 1) cut(some.shifts, 1);
  return some;
}

Status check(const ConvLayer& layer) {
  NESTRT_RETURN_IF_ERROR(check_channels(layer));
  NESTRT_RETURN_IF_ERROR(check_axis(layer, layer.y, "height"));
  NESTRT_RETURN_IF_ERROR(check_axis(layer, layer.x, "width"));
  NESTRT_RETURN_IF_ERROR(check_constants(layer));
  return check_bounds(layer);
}

}  // namespace nestrt::compiler::evta
