// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/layer/layer_shape.h"

#include <fmt/core.h>

namespace nestrt::compiler::evta {
namespace {

constexpr int64_t kMaxTensorBytes = int64_t{1} << 30;  // per tensor; several fit the 32-bit address space

// Returns the smallest number of groups that fills whole blocks of inputs and outputs, or all groups if none does.
int64_t groups_to_merge(const ConvLayer& layer, int64_t block) {
  if (layer.is_identity()) return layer.groups;
  const int64_t inputs = layer.in_channels / layer.groups, outputs = layer.out_channels / layer.groups;
  for (int64_t count = 1; count < layer.groups && count <= block; ++count) {
    if (layer.groups % count == 0 && count * inputs % block == 0 && count * outputs % block == 0) return count;
  }
  return layer.groups;
}

}  // namespace

std::string to_string(const LayerShape& shape) {
  std::string text;
  const auto add = [&text](int64_t number) { text += fmt::format("{} ", number); };
  for (const int64_t number : {shape.block, shape.images, shape.groups, shape.merged, shape.group_in_blocks,
                               shape.group_out_blocks, int64_t{shape.identity}})
    add(number);
  for (const LayerAxis& axis : {shape.y, shape.x})
    for (const int64_t number : {axis.input, axis.kernel, axis.stride, axis.pad_begin, axis.pad_end}) add(number);
  if (shape.begin_row > 0 || shape.end_row > 0) text += fmt::format("rows {} {} ", shape.begin_row, shape.end_row);
  return text;
}

Result<LayerShape> layer_shape(const nestrt::evta::Configuration& configuration, const ConvLayer& layer) {
  NESTRT_RETURN_IF_ERROR(check(layer));
  LayerShape shape;
  shape.block = configuration.block();
  shape.images = layer.images;
  shape.identity = layer.is_identity();
  shape.merged = groups_to_merge(layer, shape.block);
  shape.groups = layer.groups / shape.merged;
  shape.group_in_blocks = ceil_div(layer.in_channels / shape.groups, shape.block);
  shape.group_out_blocks = ceil_div(layer.out_channels / shape.groups, shape.block);
  shape.begin_row = layer.begin_row;
  shape.end_row = layer.end_row;
  shape.y = layer.y;
  shape.x = layer.x;
  // Each product stays below 2^33 because factors are checked one by one.
  const int64_t in_plane = layer.images * shape.in_blocks(), out_plane = layer.images * shape.out_blocks();
  const int64_t limit = kMaxTensorBytes / shape.block;
  if (in_plane > limit / (shape.y.input * shape.x.input) ||
      out_plane > limit / layer.result_bytes() / (shape.y.output() * shape.x.output()) ||
      shape.out_blocks() * shape.group_in_blocks > limit / shape.block / shape.taps()) {
    return Status(Code::kUnsupported, fmt::format("layer '{}': a tensor exceeds 2^30 bytes", layer.name));
  }
  return shape;
}

std::vector<int8_t> packed_weights(const ConvLayer& layer, const LayerShape& shape) {
  const int64_t block = shape.block, taps = shape.taps();
  std::vector<int8_t> packed(static_cast<size_t>(shape.weight_elements() * block * block));
  if (packed.empty()) return packed;
  const int64_t inputs = layer.in_channels / layer.groups, outputs = layer.out_channels / layer.groups;
  for (int64_t channel = 0; channel < layer.out_channels; ++channel) {
    const int64_t first_input = channel / outputs % shape.merged * inputs;  // within the merged group
    for (int64_t i = 0; i < inputs; ++i) {
      const int64_t input = first_input + i;
      const int64_t element = (channel / block * shape.group_in_blocks + input / block) * taps;
      for (int64_t tap = 0; tap < taps; ++tap) {
        packed[static_cast<size_t>(((element + tap) * block + channel % block) * block + input % block)] =
            layer.weights[static_cast<size_t>((channel * inputs + i) * taps + tap)];
      }
    }
  }
  return packed;
}

void append_identity(std::vector<int8_t>& weights, int64_t block, int8_t factor) {
  for (int64_t i = 0; i < block * block; ++i) weights.push_back(i / block == i % block ? factor : int8_t{0});
}

}  // namespace nestrt::compiler::evta
