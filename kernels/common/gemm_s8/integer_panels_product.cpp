// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/common/framework/split.h"
#include "kernels/common/gemm_s8/integer_panels.h"

namespace nestrt::kernels {
namespace {

const S8TileKernel& tile_kernel(std::span<const int8_t> weights) {
  // The last kernel supports any weights, in the order of S8Tile.
  const S8TileKernel& for_all = s8_tile_kernels(current_instruction_set()).back();
  if (weights.empty()) return for_all;
  const S8TileKernel& best = s8_tile_kernel(weights);
  return best.pairs_weights ? for_all : best;
}

// A tile of adjacent rows of `inner` elements, with memory for its offsets and sums.
struct RowTile {
  RowTile(int64_t inner, int64_t max_points) {
    tile.length = integer_row_bytes(inner);
    for (int64_t p = 0; p < max_points; ++p) offsets[p] = p * tile.length;
    tile.offsets = offsets;
    tile.padded = false;
    tile.segments = tile.chunks = 1;
    tile.weights_stride = integer_panel_bytes(inner);
    tile.sums = sums;
  }
  RowTile(const RowTile&) = delete;

  alignas(64) int32_t sums[kMaxS8TileSums];
  int64_t offsets[kMaxTilePoints];
  S8Tile tile;
};

}  // namespace

IntegerColumns IntegerColumns::at(std::byte* memory, int64_t columns, bool is_scaled) {
  const int64_t padded = round_up(columns, kTileBlock);
  IntegerColumns result;
  result.start = reinterpret_cast<int32_t*>(memory);
  result.zero = result.start + padded;
  if (!is_scaled) return result;
  result.scale = reinterpret_cast<float*>(result.zero + padded);
  result.bias = result.scale + padded;
  return result;
}

void IntegerColumns::set_scales(float factor, const float* scales, bool per_column, int64_t columns) {
  if (per_column)
    for (int64_t n = 0; n < columns; ++n) scale[n] = factor * scales[n];
  else
    std::fill_n(scale, columns, factor * scales[0]);
}

void IntegerColumns::read(const IntegerOperands& operands, const KernelCall& call, int64_t columns) {
  const int64_t padded = round_up(columns, kTileBlock);
  const int32_t shift = operands.b_is_u8() ? 128 : 0;
  has_zeros = false;
  for (int64_t n = 0; n < columns; ++n) {
    zero[n] = operands.weight_zero(call, n) - shift;
    has_zeros = has_zeros || zero[n] != 0;
  }
  std::fill(zero + columns, zero + padded, 0);
  if (scale == nullptr) return;
  for (int64_t n = 0; n < columns; ++n) {
    scale[n] = operands.scale(call, n);
    bias[n] = operands.bias(call, n);
  }
  std::fill(scale + columns, scale + padded, 0.0f);
  std::fill(bias + columns, bias + padded, 0.0f);
}

IntegerPanels::IntegerPanels(int64_t inner, int64_t columns, std::span<const int8_t> weights)
    : inner_(inner), columns_(columns), tile_(tile_kernel(weights)), functions_(integer_functions()) {}

void IntegerPanels::set_start(int32_t input_zero, const int32_t* column_sums, IntegerColumns& columns) const {
  const auto zero = static_cast<uint32_t>(input_zero), offset = zero + static_cast<uint32_t>(tile_.input_offset);
  const auto terms = static_cast<uint32_t>(inner_) * zero;
  for (int64_t n = 0; n < panels() * kTileBlock; ++n)
    columns.start[n] = static_cast<int32_t>(terms * static_cast<uint32_t>(columns.zero[n]) -
                                            offset * static_cast<uint32_t>(column_sums[n]));
}

void IntegerPanels::sum_columns(const int8_t* weights, int32_t* sums) const {
  constexpr int64_t kGroup = 4;  // adjacent weights of a column
  std::fill(sums, sums + panels() * kTileBlock, 0);
  for (int64_t panel = 0; panel < panels(); ++panel, weights += integer_panel_bytes(inner_), sums += kTileBlock)
    for (int64_t i = 0; i < integer_panel_bytes(inner_); ++i) sums[i / kGroup % kTileBlock] += weights[i];
}

void IntegerPanels::run(const IntegerRows& rows, const int8_t* weights, const IntegerColumns& columns,
                        Range panels) const {
  RowTile rows_tile(inner_, tile_.limits.points);
  S8Tile& tile = rows_tile.tile;
  IntegerFinish finish;
  finish.sums = rows_tile.sums;
  finish.output_stride = rows.output_stride;
  const int64_t tiles = ceil_div(rows.count, tile_.limits.points);
  for (int64_t panel = panels.first; panel < panels.last; panel += tile_.limits.blocks) {
    const int64_t column = panel * kTileBlock;
    tile.blocks = std::min(tile_.limits.blocks, panels.last - panel);
    tile.weights = weights + panel * tile.weights_stride;
    tile.start = columns.start + column;
    finish.sums_stride = tile.blocks * kTileBlock;
    finish.columns = std::min(finish.sums_stride, columns_ - column);
    finish.zero = columns.zero + column;
    finish.scale = columns.scale == nullptr ? nullptr : columns.scale + column;
    finish.bias = columns.bias == nullptr ? nullptr : columns.bias + column;
    for (int64_t t = 0; t < tiles; ++t) {
      const Range part = part_of(rows.count, t, tiles, tile_.limits.grain);
      tile.points = finish.points = part.size();
      tile.input = rows.rows + part.first * tile.length;
      tile_.run(tile);
      finish.row_sums = columns.has_zeros ? rows.row_sums + part.first : nullptr;
      finish.output =
          static_cast<int32_t*>(rows.output) + part.first * rows.output_stride + column - panels.first * kTileBlock;
      functions_.finish(finish);
    }
  }
}

// Writes the sums of the columns, and start values that compensate for the offset that the tile adds to the rows.
void IntegerPanels::sum_panels(const IntegerPixels& product) const {
  const int64_t first = 0;
  alignas(64) const int32_t zeros[kTileBlock] = {};
  S8Tile tile;
  tile.points = tile.blocks = tile.segments = tile.chunks = 1;
  tile.padded = false;
  tile.offsets = &first;
  tile.input = product.ones;
  tile.length = integer_row_bytes(inner_);
  tile.start = zeros;
  for (int64_t panel = 0; panel < ceil_div(product.columns, kTileBlock); ++panel) {
    tile.weights = product.panels + panel * integer_panel_bytes(inner_);
    tile.sums = product.column_sums + panel * kTileBlock;
    tile_.run(tile);
    for (int64_t i = 0; i < kTileBlock; ++i)
      product.start[panel * kTileBlock + i] =
          static_cast<int32_t>(-static_cast<uint32_t>(tile_.input_offset) * static_cast<uint32_t>(tile.sums[i]));
  }
}

void IntegerPanels::run(const IntegerPixels& product) const {
  sum_panels(product);
  const int64_t panels = ceil_div(product.columns, kTileBlock);
  RowTile rows_tile(inner_, tile_.limits.points);
  S8Tile& tile = rows_tile.tile;
  IntegerRowFinish finish;
  finish.sums = rows_tile.sums;
  finish.is_scaled = product.is_scaled;
  finish.output_stride = product.output_stride;
  const int64_t tiles = ceil_div(product.count, tile_.limits.points);
  for (int64_t panel = 0; panel < panels; panel += tile_.limits.blocks) {
    const int64_t column = panel * kTileBlock;
    tile.blocks = std::min(tile_.limits.blocks, panels - panel);
    tile.weights = product.panels + panel * tile.weights_stride;
    tile.start = product.start + column;
    finish.sums_stride = tile.blocks * kTileBlock;
    finish.columns = std::min(finish.sums_stride, product.columns - column);
    finish.column_sums = product.has_zeros ? product.column_sums + column : nullptr;
    for (int64_t t = 0; t < tiles; ++t) {
      const Range part = part_of(product.count, t, tiles, tile_.limits.grain);
      tile.points = finish.rows = part.size();
      tile.input = product.rows + part.first * tile.length;
      tile_.run(tile);
      finish.parameters = product.parameters + part.first;
      finish.output = static_cast<int32_t*>(product.output) + part.first * product.output_stride + column;
      functions_.finish_rows(finish);
    }
  }
}

}  // namespace nestrt::kernels
