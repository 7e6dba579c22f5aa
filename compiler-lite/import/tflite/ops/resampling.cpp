// SPDX-License-Identifier: Apache-2.0
// Operators that resize images or move spatial blocks to and from channels or batches.
#include <fmt/core.h>

#include <algorithm>

#include "compiler-lite/import/tflite/lite_table.h"

namespace nestrt::compiler {
namespace {

constexpr uint8_t kResizeBilinear = 15, kSpaceToDepth = 19, kResizeNearest = 74, kDepthToSpace = 94;

// --- Resize ---------------------------------------------------------------------------------------------------------

Status import_resize(LiteNode& node, ops::Resize resize, bool align_corners, bool half_pixel) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> size, node.ints(1, "the size"));
  NESTRT_ASSIGN_OR_RETURN(const Shape stated, node.input_shape(0));
  if (stated.rank() != 4 || size.size() != 2) return node.invalid("expected an image and two sizes");
  if (align_corners && half_pixel) return node.invalid("align_corners and half_pixel_centers are mutually exclusive");
  for (const int64_t entry : size)
    if (entry < 1 || entry > INT32_MAX) return node.invalid(fmt::format("size {} is out of range", entry));
  resize.sizes = {stated[0], stated[3], size[0], size[1]};
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0, Form::kChannelsFirst));
  return node.finish(node.add(std::move(resize), {x}), Form::kChannelsFirst);
}

Status import_resize_bilinear(LiteNode& node) {
  const auto& options = node.options<tflite::ResizeBilinearOptions>();
  ops::Resize resize;
  resize.mode = ops::ResizeMode::kLinear;
  resize.coordinate = options.align_corners()        ? ops::CoordinateMode::kAlignCorners
                      : options.half_pixel_centers() ? ops::CoordinateMode::kHalfPixel
                                                     : ops::CoordinateMode::kAsymmetric;
  return import_resize(node, std::move(resize), options.align_corners(), options.half_pixel_centers());
}

Status import_resize_nearest(LiteNode& node) {
  const auto& options = node.options<tflite::ResizeNearestOptions>();
  ops::Resize resize;
  resize.mode = ops::ResizeMode::kNearest;
  resize.coordinate = options.align_corners()        ? ops::CoordinateMode::kAlignCorners
                      : options.half_pixel_centers() ? ops::CoordinateMode::kTfHalfPixelForNn
                                                     : ops::CoordinateMode::kAsymmetric;
  resize.nearest = options.align_corners() ? ops::NearestMode::kRoundPreferCeil : ops::NearestMode::kFloor;
  return import_resize(node, std::move(resize), options.align_corners(), options.half_pixel_centers());
}

// --- Space and depth, space and batch -------------------------------------------------------------------------------

// Splits axes into factors, permutes and merges them.
struct Rearrangement {
  Shape split;
  std::vector<int32_t> permutation;
  Shape merged;
};

Status finish_rearranged(LiteNode& node, ValueId x, const Rearrangement& to) {
  if (to.split.num_elements() != node.shape(x).num_elements())
    return node.invalid(fmt::format("blocks do not fit {}", node.shape(x).to_string()));
  NESTRT_ASSIGN_OR_RETURN(const ValueId split, node.reshape(x, to.split));
  NESTRT_ASSIGN_OR_RETURN(const ValueId permuted, node.transpose(split, to.permutation));
  return node.finish(node.reshape(permuted, to.merged));
}

struct Block {
  ValueId x = kNoValue;
  Shape shape;
  int64_t size = 0;
};

Result<Block> read_block(LiteNode& node) {
  Block block;
  NESTRT_ASSIGN_OR_RETURN(block.x, node.input(0));
  block.shape = node.shape(block.x);
  block.size = node.options<tflite::BlockOptions>().block_size();
  if (block.shape.rank() != 4) return node.invalid(fmt::format("input {} is not an image", block.shape.to_string()));
  constexpr int64_t kMaxBlock = 1 << 15;
  if (block.size < 1 || block.size > kMaxBlock) return node.invalid(fmt::format("block size {}", block.size));
  return block;
}

Status import_depth_to_space(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const Block block, read_block(node));
  const Shape& x = block.shape;
  const int64_t b = block.size, depth = x[3] / (b * b);
  return finish_rearranged(node, block.x,
                           {{x[0], x[1], x[2], b, b, depth}, {0, 1, 3, 2, 4, 5}, {x[0], x[1] * b, x[2] * b, depth}});
}

Status import_space_to_depth(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const Block block, read_block(node));
  const Shape& x = block.shape;
  const int64_t b = block.size, height = x[1] / b, width = x[2] / b;
  return finish_rearranged(
      node, block.x, {{x[0], height, b, width, b, x[3]}, {0, 1, 3, 2, 4, 5}, {x[0], height, width, x[3] * b * b}});
}

// The blocks of SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: block sizes of the axes after the first, and their pads or
// crops.
struct BatchBlocks {
  std::vector<int64_t> size, edges;
  int64_t count = 1;  // product of the sizes

  size_t rank() const { return size.size(); }
};

Result<BatchBlocks> read_batch_blocks(LiteNode& node, const Shape& x) {
  BatchBlocks blocks;
  NESTRT_ASSIGN_OR_RETURN(blocks.size, node.ints(1, "the block"));
  NESTRT_ASSIGN_OR_RETURN(blocks.edges, node.ints(2, "the pads or crops"));
  constexpr size_t kMaxBlockAxes = 2;
  if (blocks.rank() < 1 || blocks.rank() > kMaxBlockAxes || static_cast<size_t>(x.rank()) < blocks.rank() + 1 ||
      x.rank() > 4 || blocks.edges.size() != 2 * blocks.rank())
    return node.unsupported("only blocks of one or two axes of a tensor of rank 2 to 4 are supported");
  constexpr int64_t kMaxEntry = 1 << 20;
  const auto in_range = [](int64_t entry) { return entry >= 0 && entry <= kMaxEntry; };
  if (!std::ranges::all_of(blocks.size, in_range) || !std::ranges::all_of(blocks.edges, in_range) ||
      std::ranges::find(blocks.size, 0) != blocks.size.end())
    return node.invalid("blocks, pads or crops are out of range");
  for (const int64_t size : blocks.size) blocks.count *= size;
  return blocks;
}

Status import_space_to_batch(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const BatchBlocks blocks, read_batch_blocks(node, node.shape(x)));
  ops::Pad pad;
  pad.begin.assign(static_cast<size_t>(node.shape(x).rank()), 0);
  pad.end = pad.begin;
  for (size_t i = 0; i < blocks.rank(); ++i) {
    pad.begin[i + 1] = blocks.edges[2 * i];
    pad.end[i + 1] = blocks.edges[2 * i + 1];
  }
  NESTRT_ASSIGN_OR_RETURN(x, node.add(std::move(pad), {x}));
  const Shape s = node.shape(x);
  // [N, s1 / b1, b1, ..., rest] becomes [b1, ..., N, s1 / b1, ..., rest].
  Rearrangement to{{s[0]}, {}, {blocks.count * s[0]}};
  std::vector<int32_t> kept{0};
  for (int axis = 1; axis < s.rank(); ++axis) {
    const auto i = static_cast<size_t>(axis - 1);
    const int64_t size = i < blocks.rank() ? blocks.size[i] : 1;
    kept.push_back(to.split.rank());
    to.split.push_back(s[axis] / size);
    to.merged.push_back(s[axis] / size);
    if (i >= blocks.rank()) continue;
    to.permutation.push_back(to.split.rank());
    to.split.push_back(size);
  }
  to.permutation.insert(to.permutation.end(), kept.begin(), kept.end());
  return finish_rearranged(node, x, to);
}

Status import_batch_to_space(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const BatchBlocks blocks, read_batch_blocks(node, node.shape(x)));
  const Shape s = node.shape(x);
  const auto num_blocks = static_cast<int32_t>(blocks.rank());
  Shape split(blocks.size), whole{s[0] / blocks.count}, cropped = whole;
  split.push_back(s[0] / blocks.count);
  std::vector<int32_t> permutation{num_blocks};
  std::vector<int64_t> start{0};
  for (int axis = 1; axis < s.rank(); ++axis) {
    const auto i = static_cast<size_t>(axis - 1);
    const bool is_block = i < blocks.rank();
    split.push_back(s[axis]);
    permutation.push_back(num_blocks + axis);
    if (is_block) permutation.push_back(axis - 1);
    whole.push_back(s[axis] * (is_block ? blocks.size[i] : 1));
    start.push_back(is_block ? blocks.edges[2 * i] : 0);
    cropped.push_back(whole[axis] - (is_block ? blocks.edges[2 * i] + blocks.edges[2 * i + 1] : 0));
    if (cropped[axis] < 0) return node.invalid("the crops exceed the tensor");
  }
  if (split.num_elements() != s.num_elements()) return node.invalid("blocks do not fit the batch");
  NESTRT_ASSIGN_OR_RETURN(ValueId y, node.reshape(x, split));
  NESTRT_ASSIGN_OR_RETURN(y, node.transpose(y, permutation));
  NESTRT_ASSIGN_OR_RETURN(y, node.reshape(y, whole));
  return node.finish(node.slice(y, start, std::vector<int64_t>(start.size(), 1), cropped));
}

constexpr LiteRule kLiteResamplingRules[] = {
    lite_rule(LiteOp::BATCH_TO_SPACE_ND, 3, import_batch_to_space),
    lite_rule<tflite::BlockOptions>(LiteOp::DEPTH_TO_SPACE, 1, import_depth_to_space, kDepthToSpace),
    lite_rule<tflite::ResizeBilinearOptions>(LiteOp::RESIZE_BILINEAR, 2, import_resize_bilinear, kResizeBilinear),
    lite_rule<tflite::ResizeNearestOptions>(LiteOp::RESIZE_NEAREST_NEIGHBOR, 2, import_resize_nearest, kResizeNearest),
    lite_rule(LiteOp::SPACE_TO_BATCH_ND, 3, import_space_to_batch),
    lite_rule<tflite::BlockOptions>(LiteOp::SPACE_TO_DEPTH, 1, import_space_to_depth, kSpaceToDepth),
};

}  // namespace

std::span<const LiteRule> lite_resampling_rules() { return kLiteResamplingRules; }

}  // namespace nestrt::compiler
