// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/layer/tiles.h"

#include <algorithm>

namespace nestrt::compiler::evta {
namespace {

struct PixelTile {
  int64_t image;
  Span rows, columns;
};

// All rows of several blocks, or some rows of one block. Blocks are counted within the group.
struct Rectangle {
  Span blocks, rows;
};

std::vector<Rectangle> rectangles_of(const LayerShape& shape) {
  const int64_t blocks = shape.group_out_blocks, height = shape.y.output();
  const int64_t last_row = shape.end_row > 0 ? shape.end_row : height;
  if (blocks == 1) return {{{0, 1}, {shape.begin_row, last_row - shape.begin_row}}};
  const int64_t cut_first = shape.begin_row > 0 ? 1 : 0, cut_last = shape.end_row > 0 ? 1 : 0;
  std::vector<Rectangle> result;
  if (cut_first > 0) result.push_back({{0, 1}, {shape.begin_row, height - shape.begin_row}});
  if (const int64_t whole = blocks - cut_first - cut_last; whole > 0)
    result.push_back({{cut_first, whole}, {0, height}});
  if (cut_last > 0) result.push_back({{blocks - 1, 1}, {0, last_row}});
  return result;
}

std::vector<PixelTile> pixel_tiles(const LayerShape& shape, const Span& all_rows, const Tiling& tiling) {
  std::vector<PixelTile> result;
  for (int64_t image = 0; image < shape.images; ++image) {
    for (const Span& rows : cut(all_rows.count, tiling.rows)) {
      for (const Span& columns : cut(shape.x.output(), tiling.columns))
        result.push_back({image, {all_rows.first + rows.first, rows.count}, columns});
    }
  }
  return result;
}

void add_tiles(const LayerShape& shape, const Rectangle& rectangle, const Tiling& tiling, std::vector<Tile>& tiles) {
  const std::vector<PixelTile> pixels = pixel_tiles(shape, rectangle.rows, tiling);
  const std::vector<Span> blocks = cut(rectangle.blocks.count, tiling.out_blocks);
  const bool pixels_inner = tiling.order == LoopOrder::kPixelsInner;
  const size_t outer = pixels_inner ? blocks.size() : pixels.size(),
               inner = pixels_inner ? pixels.size() : blocks.size();
  for (int64_t group = 0; group < shape.groups; ++group) {
    const int64_t first = group * shape.group_out_blocks + rectangle.blocks.first;
    for (size_t i = 0; i < outer * inner; ++i) {
      const PixelTile& at = pixels[pixels_inner ? i % inner : i / inner];
      const Span& part = blocks[pixels_inner ? i / inner : i % inner];
      tiles.push_back({at.image, group, {first + part.first, part.count}, at.rows, at.columns});
    }
  }
}

}  // namespace

std::vector<Span> cut(int64_t whole, int64_t size) {
  std::vector<Span> spans;
  for (int64_t first = 0; first < whole; first += size) spans.push_back({first, std::min(size, whole - first)});
  return spans;
}

TileCounts::TileCounts(const LayerShape& shape, const Tiling& tiling)
    : pixel_tiles(shape.images * ceil_div(shape.y.output(), tiling.rows) * ceil_div(shape.x.output(), tiling.columns)),
      out_tiles(shape.groups * ceil_div(shape.group_out_blocks, tiling.out_blocks)),
      chunks(shape.identity ? 1 : ceil_div(shape.group_in_blocks, tiling.in_blocks)),
      tiles(pixel_tiles * out_tiles),
      inputs(pixel_tiles * (shape.identity ? out_tiles : shape.groups * chunks)) {}

std::vector<Tile> tiles_of(const LayerShape& shape, const Tiling& tiling) {
  std::vector<Tile> tiles;
  for (const Rectangle& rectangle : rectangles_of(shape)) add_tiles(shape, rectangle, tiling, tiles);
  return tiles;
}

int64_t input_size(const LayerAxis& axis, int64_t outputs, bool skip) {
  return skip && axis.kernel == 1 ? outputs : (outputs - 1) * axis.stride + axis.kernel;
}

Extent input_extent(const LayerAxis& axis, const Span& outputs, bool skip) {
  const int64_t begin = outputs.first * axis.stride - axis.pad_begin;
  if (skip && axis.kernel == 1) return {begin, outputs.count, 0, 0, axis.stride};
  const int64_t end = begin + input_size(axis, outputs.count, false);
  const int64_t first = std::max<int64_t>(begin, 0), last = std::min(end, axis.input);
  return {first, last - first, first - begin, end - last, 1};
}

SlotRing::Use SlotRing::acquire(const ContentKey& key) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].key == key) return {static_cast<int64_t>(i), false, std::nullopt};
  }
  const size_t slot = next_;
  next_ = (next_ + 1) % slots_.size();
  const Use use = {static_cast<int64_t>(slot), true, slots_[slot].last_reader};
  slots_[slot] = {key, std::nullopt};
  return use;
}

}  // namespace nestrt::compiler::evta
