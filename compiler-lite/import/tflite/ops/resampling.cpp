// SPDX-License-Identifier: Apache-2.0
// Resizing of images, and exchange of space with channels or batches.
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
  if (align_corners && half_pixel) return node.invalid("align_corners and half_pixel_centers exclude each other");
  for (const int64_t entry : size)
    if (entry < 1 || entry > INT32_MAX) return node.invalid(fmt::format("size {} is out of range", entry));
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0, Form::kChannelsFirst));
  resize.sizes = {stated[0], stated[3], size[0], size[1]};
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
  if (block.shape.rank() != 4) return node.invalid(fmt::format("input {} is no image", block.shape.to_string()));
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

// The blocks of SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: two sizes, and pads or crops [2, 2].
struct BatchBlocks {
  std::vector<int64_t> size, edges;
};

Result<BatchBlocks> read_batch_blocks(LiteNode& node, const Shape& x) {
  BatchBlocks blocks;
  NESTRT_ASSIGN_OR_RETURN(blocks.size, node.ints(1, "the block"));
  NESTRT_ASSIGN_OR_RETURN(blocks.edges, node.ints(2, "the pads or crops"));
  if (x.rank() != 4 || blocks.size.size() != 2 || blocks.edges.size() != 4)
    return node.unsupported("only blocks of two axes of a tensor of rank 4 are supported");
  constexpr int64_t kMaxEntry = 1 << 20;
  const auto in_range = [](int64_t entry) { return entry >= 0 && entry <= kMaxEntry; };
  if (!std::ranges::all_of(blocks.size, in_range) || !std::ranges::all_of(blocks.edges, in_range) ||
      std::ranges::find(blocks.size, 0) != blocks.size.end())
    return node.invalid("blocks, pads or crops are out of range");
  return blocks;
}

Status import_space_to_batch(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const BatchBlocks blocks, read_batch_blocks(node, node.shape(x)));
  const auto& edges = blocks.edges;
  NESTRT_ASSIGN_OR_RETURN(
      x, node.add(ops::Pad{.begin = {0, edges[0], edges[2], 0}, .end = {0, edges[1], edges[3], 0}}, {x}));
  const Shape s = node.shape(x);
  const int64_t bh = blocks.size[0], bw = blocks.size[1], height = s[1] / bh, width = s[2] / bw;
  return finish_rearranged(
      node, x, {{s[0], height, bh, width, bw, s[3]}, {2, 4, 0, 1, 3, 5}, {bh * bw * s[0], height, width, s[3]}});
}

Status import_batch_to_space(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const BatchBlocks blocks, read_batch_blocks(node, node.shape(x)));
  const Shape s = node.shape(x);
  const int64_t bh = blocks.size[0], bw = blocks.size[1], batch = s[0] / (bh * bw);
  const Shape split{bh, bw, batch, s[1], s[2], s[3]};
  if (split.num_elements() != s.num_elements()) return node.invalid("blocks do not fit the batch");
  NESTRT_ASSIGN_OR_RETURN(ValueId y, node.reshape(x, split));
  NESTRT_ASSIGN_OR_RETURN(y, node.transpose(y, {2, 3, 0, 4, 1, 5}));
  const Shape whole{batch, s[1] * bh, s[2] * bw, s[3]};
  NESTRT_ASSIGN_OR_RETURN(y, node.reshape(y, whole));
  const auto& crops = blocks.edges;
  const Shape cropped{batch, whole[1] - crops[0] - crops[1], whole[2] - crops[2] - crops[3], s[3]};
  if (cropped[1] < 0 || cropped[2] < 0) return node.invalid("the crops exceed the image");
  return node.finish(node.slice(y, {0, crops[0], crops[2], 0}, {1, 1, 1, 1}, cropped));
}

constexpr LiteRule kRules[] = {
    lite_rule(LiteOp::BATCH_TO_SPACE_ND, 3, import_batch_to_space),
    lite_rule<tflite::BlockOptions>(LiteOp::DEPTH_TO_SPACE, 1, import_depth_to_space, kDepthToSpace),
    lite_rule<tflite::ResizeBilinearOptions>(LiteOp::RESIZE_BILINEAR, 2, import_resize_bilinear, kResizeBilinear),
    lite_rule<tflite::ResizeNearestOptions>(LiteOp::RESIZE_NEAREST_NEIGHBOR, 2, import_resize_nearest, kResizeNearest),
    lite_rule(LiteOp::SPACE_TO_BATCH_ND, 3, import_space_to_batch),
    lite_rule<tflite::BlockOptions>(LiteOp::SPACE_TO_DEPTH, 1, import_space_to_depth, kSpaceToDepth),
};

}  // namespace

std::span<const LiteRule> lite_resampling_rules() { return kRules; }

}  // namespace nestrt::compiler
