// SPDX-License-Identifier: Apache-2.0
#include "nestrt/shape.h"

#include <fmt/core.h>

#include "nestrt/data_type.h"
#include "runtime/core/channel_blocks.h"

namespace nestrt {

std::string_view name(DataType type) {
  switch (type) {
    case DataType::kF32:
      return "f32";
    case DataType::kS8:
      return "s8";
    case DataType::kU8:
      return "u8";
    case DataType::kS32:
      return "s32";
    case DataType::kS64:
      return "s64";
    case DataType::kBool:
      return "bool";
  }
  return {};
}

std::string_view name(Layout layout) {
  switch (layout) {
    case Layout::kPlain:
      return "plain";
    case Layout::kBlocked16:
      return "blocked16";
    case Layout::kBlocked32:
      return "blocked32";
    case Layout::kFolded2:
      return "folded2";
    case Layout::kFolded4:
      return "folded4";
    case Layout::kFolded8:
      return "folded8";
  }
  return {};
}

std::string Shape::to_string() const {
  if (rank_ == 0) return "scalar";
  std::string text;
  for (int64_t dim : dims()) {
    text += fmt::format("{}{}", text.empty() ? "" : "x", dim);
  }
  return text;
}

int64_t storage_bytes(DataType type, const Shape& shape, Layout layout) {
  int64_t elements = shape.num_elements();
  if (layout != Layout::kPlain && shape.rank() >= 2) {
    const ChannelBlocks blocks = stored_blocks(shape, layout);
    elements = shape[0] * blocks.blocks() * blocks.block * blocks.pixels;
  }
  return elements * static_cast<int64_t>(size_bytes(type));
}

}  // namespace nestrt
