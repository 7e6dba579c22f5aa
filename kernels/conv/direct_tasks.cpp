// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/direct_tasks.h"

#include <algorithm>

#include "kernels/common/math/integers.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kChunkInputBytes = 384 * 1024;  // fits a second-level cache of at least 512 KB
constexpr int64_t kChunkOffsetBytes = 16 * 1024;

struct OutputPixel {
  int64_t z, y, x;
};

// Writes the offsets of `points` outputs starting at `pixel` under one tap. The outputs may span several rows.
int64_t* fill_tap(const ConvGeometry& geometry, OutputPixel pixel, int64_t points, int64_t kd, int64_t kh, int64_t kw,
                  int64_t* offsets) {
  const auto& [d, h, w] = geometry.axes;
  while (points > 0) {
    const int64_t run = std::min(points, w.output - pixel.x);
    const int64_t iz = tap_position(d, pixel.z, kd), iy = tap_position(h, pixel.y, kh);
    const int64_t line = (iz * h.input + iy) * w.input;
    const int64_t width = (iz | iy) >= 0 ? w.input : 0;
    int64_t* const end = offsets + run;
    int64_t ix = pixel.x * w.stride - w.pad_begin + kw * w.dilation;
    for (; offsets < end && ix < 0; ix += w.stride) *offsets++ = -1;
    for (; offsets < end && ix < width; ix += w.stride) *offsets++ = (line + ix) * kTileBlock;
    while (offsets < end) *offsets++ = -1;
    points -= run;
    pixel.x = 0;
    if (++pixel.y == h.output) pixel.y = 0, ++pixel.z;
  }
  return offsets;
}

void fill_offsets(const ConvGeometry& geometry, const TileLimits& limits, const DirectChunk& chunk, int64_t* offsets) {
  const auto& [d, h, w] = geometry.axes;
  for (int64_t t = 0; t < chunk.tiles(limits.points); ++t) {
    const Range tile = chunk.tile(t, limits);
    const int64_t first = chunk.pixels.first + tile.first;
    const OutputPixel pixel{first / w.output / h.output, first / w.output % h.output, first % w.output};
    for (int64_t kd = 0; kd < d.kernel; ++kd)
      for (int64_t kh = 0; kh < h.kernel; ++kh)
        for (int64_t kw = 0; kw < w.kernel; ++kw) offsets = fill_tap(geometry, pixel, tile.size(), kd, kh, kw, offsets);
  }
}

// Returns the pixels per work item: those of a tile, or fewer if such items would leave threads idle. `sums`: pixels
// times tiles of blocks.
int64_t pixels_per_item(const TileLimits& limits, int64_t sums, int64_t tiles, int64_t wanted, int threads) {
  if (limits.grain == 1 || tiles >= threads || tiles >= wanted) return limits.points;
  return std::min(limits.points, round_up(ceil_div(sums, wanted), limits.grain));
}

}  // namespace

DirectTasks::DirectTasks(const ConvGeometry& g, TileLimits limits, int64_t element_bytes)
    : limits_(limits), taps_(g.taps()), element_bytes_(element_bytes) {
  // Input bytes of a tile, ignoring overlap between its taps.
  const int64_t stride = std::min<int64_t>(g.axes[1].stride, 4) * std::min<int64_t>(g.axes[2].stride, 4);
  const int64_t tile_bytes = limits.points * g.group_inputs() * stride * element_bytes;
  const int64_t offset_bytes = limits.points * taps_ * int64_t{sizeof(int64_t)};
  const int64_t tiles = ceil_div(g.out_spatial(), limits.points);
  chunk_tiles_ = std::clamp<int64_t>(
      std::min(kChunkInputBytes / std::max<int64_t>(tile_bytes, 1), kChunkOffsetBytes / offset_bytes), 1, tiles);
  group_blocks_ = ceil_div(g.out_channels, kTileBlock) / g.group;
}

size_t DirectTasks::scratch_bytes() const {
  return static_cast<size_t>(chunk_tiles_ * taps_ * limits_.points) * sizeof(int64_t);
}

// If the weights are not larger than this, the second-level cache of every core holds them in addition to other data.
#if defined(__aarch64__)
constexpr int64_t kSharedWeightBytes = 0;  // the cores share one
#else
constexpr int64_t kSharedWeightBytes = 512 * 1024;
#endif

// Splits work along outputs or pixels, whichever is larger, so that threads share as little of it as possible. If all
// threads can cache the weights, splits along pixels: the next operator then finds its pixels in the cache of the core
// that wrote them.
void DirectTasks::run(const ConvGeometry& g, const KernelCall& call,
                      FunctionRef<void(const DirectChunk&)> run_chunk) const {
  const int64_t pixels = g.out_spatial(), images = g.batch * g.group;
  const int64_t reduction = f32_products(g.group_inputs() * taps_, element_bytes_);
  const int64_t wanted = task_count(images * pixels * g.group_outputs(), reduction, call.parallel->num_threads());
  const int64_t parts = ceil_div(wanted, images);
  const int64_t block_tiles = ceil_div(group_blocks_, limits_.blocks);
  const int64_t item_pixels =
      pixels_per_item(limits_, pixels * block_tiles, ceil_div(pixels, limits_.points) * block_tiles, parts,
                      call.parallel->num_threads());
  const int64_t pixel_tiles = ceil_div(pixels, item_pixels);
  const int64_t weight_bytes = g.group_outputs() * g.group_inputs() * taps_ * element_bytes_;
  const bool by_blocks = g.group_outputs() * taps_ > g.in_spatial() && weight_bytes > kSharedWeightBytes;
  const int64_t major = std::min(parts, by_blocks ? block_tiles : pixel_tiles);
  const int64_t minor = std::min(ceil_div(parts, major), by_blocks ? pixel_tiles : block_tiles);
  const int64_t block_parts = by_blocks ? major : minor, pixel_parts = by_blocks ? minor : major;
  const int64_t chunk_pixels = chunk_tiles_ * limits_.points;
  call.parallel->parallel_for(images * block_parts * pixel_parts, [&](int64_t index, int slot) {
    const int64_t image = index / (block_parts * pixel_parts), part = index % (block_parts * pixel_parts);
    auto* offsets = call.slot_scratch<int64_t>(slot, scratch_bytes());
    const Range mine = part_of(pixels, part % pixel_parts, pixel_parts, item_pixels);
    DirectChunk chunk{image / g.group,
                      image % g.group,
                      part_of(group_blocks_, part / pixel_parts, block_parts, limits_.blocks),
                      {},
                      offsets};
    const int64_t chunks = ceil_div(mine.size(), chunk_pixels);
    for (int64_t i = 0; i < chunks; ++i) {
      const Range at = part_of(mine.size(), i, chunks, limits_.points);
      chunk.pixels = {mine.first + at.first, mine.first + at.last};
      fill_offsets(g, limits_, chunk, offsets);
      run_chunk(chunk);
    }
  });
}

}  // namespace nestrt::kernels
