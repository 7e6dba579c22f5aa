// SPDX-License-Identifier: Apache-2.0
// s8 convolution over blocked16 tensors with AMX tiles (kernels/common/gemm_s8/s8_amx.h). Weights have the order of
// conv.s8.direct16.
//
// The points of a tile are equally spaced pixels; a step reads 64 bytes of each. Inputs are first copied to scratch in
// cache-sized bands:
//
//   1 x 1     the channels of each pixel, interleaved from their planes of 16
//   others    padded rows of each plane. The 16 channels of adjacent columns are contiguous, so a step reads up to
//             four columns of a kernel row
//
// Weights are never rearranged; only padded or non-contiguous inputs are.
#include <algorithm>
#include <cstring>

#include "hwy/base.h"
#include "kernels/common/gemm_s8/s8_amx.h"
#include "kernels/common/math/integers.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"

#if !HWY_ARCH_X86
namespace nestrt::kernels {

bool accepts_conv_s8_amx16(const OperatorSpec&) { return false; }

Result<std::unique_ptr<Kernel>> prepare_conv_s8_amx16(const OperatorSpec&) {
  return Status(Code::kUnsupported, "conv.s8.amx16 requires x86-64");
}

}  // namespace nestrt::kernels
#else
namespace nestrt::kernels {
namespace {

constexpr int64_t kMaxKernel = 15, kMaxStride = 8;
constexpr int64_t kMaxUnitBytes = 1024 * 1024;
// The size of a band, and of weights that stay cached alongside it, for a second-level cache of 2 MB. All CPUs with AMX
// have at least that.
constexpr int64_t kBandBytes = 256 * 1024, kResidentWeights = 1280 * 1024;
constexpr int64_t kSmallBandBytes = 32 * 1024;  // for a first-level cache of 48 KB
constexpr int64_t kSpeedup = 4;                 // speedup of products over the rate assumed by task_count()

// How the output is split into tiles. A unit is the smallest part of the output that is computed together: a tile of
// pixels for 1 x 1 kernels, otherwise `lines` lines.
struct Tiling {
  bool is_point = false;
  int64_t units = 0;
  int64_t lines = 1;        // lines of a unit; if more than one, all are in one tile
  int64_t line_points = 0;  // points between two lines of a tile
  int64_t width = 0;        // pixels of a line
  int64_t unit_tiles = 1;   // adjacent tiles of a unit
  int64_t points = 0;       // maximum points of a tile
  int64_t depth = 0;        // bytes of a step
  int64_t steps = 0;
  int64_t planes = 0;      // planes of 16 channels per group
  int64_t pitch = 0;       // bytes of a padded row, or of a point for 1 x 1
  int64_t unit_bytes = 0;  // bytes of a band of one unit
};

Tiling point_tiling(const ConvGeometry& g) {
  Tiling tiling;
  tiling.is_point = true;
  tiling.planes = ceil_div(g.group_inputs(), kTileBlock);
  tiling.width = g.out_spatial();
  tiling.units = ceil_div(tiling.width, kAmxPoints);
  tiling.points = ceil_div(tiling.width, tiling.units);
  tiling.depth = std::min(kAmxDepth, tiling.planes * kTileBlock);
  tiling.pitch = round_up(tiling.planes * kTileBlock, kAmxDepth);
  tiling.steps = tiling.pitch / kAmxDepth;
  tiling.unit_bytes = tiling.points * tiling.pitch;
  return tiling;
}

// Returns the number of input rows that `lines` output lines read.
int64_t rows_under(const ConvAxis& h, int64_t lines) { return (lines - 1) * h.stride + h.kernel; }

Tiling window_tiling(const ConvGeometry& g) {
  const ConvAxis &h = g.axes[1], &w = g.axes[2];
  Tiling tiling;
  tiling.planes = ceil_div(g.group_inputs(), kTileBlock);
  tiling.width = w.output;
  const int64_t columns = (w.output - 1) * w.stride + w.kernel;
  tiling.pitch = columns * kTileBlock;
  tiling.unit_tiles = ceil_div(tiling.width, kAmxPoints);
  tiling.points = ceil_div(tiling.width, tiling.unit_tiles);
  // The points between two lines are computed but not used.
  if (h.stride == 1 && w.stride == 1 && columns + tiling.width <= kAmxPoints) {
    tiling.line_points = columns;
    tiling.lines = std::min(h.output, (kAmxPoints - tiling.width) / columns + 1);
    tiling.points += (tiling.lines - 1) * columns;
  }
  tiling.units = ceil_div(h.output, tiling.lines);
  const int64_t row_bytes = w.kernel * kTileBlock, row_steps = ceil_div(row_bytes, kAmxDepth);
  tiling.depth = row_bytes % (4 * row_steps) == 0 ? row_bytes / row_steps : 0;
  tiling.steps = tiling.planes * h.kernel * row_steps;
  tiling.unit_bytes = rows_under(h, tiling.lines) * tiling.pitch * tiling.planes;
  return tiling;
}

bool is_point(const ConvGeometry& g) { return g.axes[1].kernel == 1 && g.axes[2].kernel == 1; }

Tiling tiling_of(const ConvGeometry& g) { return is_point(g) ? point_tiling(g) : window_tiling(g); }

// Returns whether, for a kernel of one element, every output reads an element inside the input.
bool reads_inside(const ConvAxis& axis) {
  return axis.pad_begin <= 0 && (axis.output - 1) * axis.stride - axis.pad_begin < axis.input;
}

bool accepts_axis(const ConvAxis& axis, bool point) {
  if (axis.dilation != 1 || axis.stride > kMaxStride || axis.kernel > kMaxKernel || axis.output < 1) return false;
  return point ? reads_inside(axis) : axis.pad_begin < axis.kernel && axis.pad_end < axis.kernel;
}

bool accepts_geometry(const ConvGeometry& g) {
  const bool point = is_point(g);
  if (g.axes[0].input != 1 || g.axes[0].kernel != 1 || g.axes[0].output != 1) return false;
  if (!accepts_axis(g.axes[1], point) || !accepts_axis(g.axes[2], point) || g.axes[2].pad_begin < 0) return false;
  const Tiling tiling = tiling_of(g);
  return tiling.depth != 0 && tiling.unit_bytes <= kMaxUnitBytes;
}

// A tile: adjacent points in one line, or the same number of points in each of several lines.
struct Tile {
  const int8_t* points;
  int64_t first;  // first pixel
  int64_t count;  // points per line
  int64_t lines;
};

// The sums of up to two tiles by two blocks.
struct Sums {
  Tile tiles[2];
  int64_t count;  // number of tiles
  int64_t first_block, blocks;
  alignas(64) int32_t sums[2 * kAmxPoints * 2 * kTileBlock];  // the second tile follows the first
};

// The blocks of one group and image that a task computes, and the scratch for its bands.
struct Task {
  int64_t image, group;
  Range blocks;
  int8_t* bytes;
};

class S8Amx16 final : public Kernel {
 public:
  // `steps`: memory for Tiling::steps entries.
  S8Amx16(const ConvGeometry& geometry, S8Product product, AlignedArray<int64_t> steps);

  void run(const KernelCall& call) const override;
  bool repacked() const override { return product_.repacked(); }
  ScratchSize scratch(int) const override {
    return {0, static_cast<size_t>(band_units_ * tiling_.unit_bytes + slack())};
  }

 private:
  // Returns the number of bytes that tiles read past the end of a band.
  int64_t slack() const { return kAmxPoints * kMaxStride * kTileBlock + kAmxDepth + tiling_.lines * tiling_.pitch; }
  int64_t group_blocks() const { return ceil_div(geometry_.group_outputs(), kTileBlock); }
  void set_steps();
  Range lines_of(Range units) const;
  Range pixels_of(Range units) const;
  void load_points(const int8_t* input, Range units, int8_t* to) const;
  void load_rows(const int8_t* input, Range units, int8_t* to) const;
  void load_row(const int8_t* input, int64_t row, int8_t* to) const;
  void run_band(const KernelCall& call, const Task& task, Range units) const;
  Tile tile_at(const Task& task, Range units, int64_t index) const;
  void multiply(const Task& task, int64_t block, bool is_first, Sums& sums) const;
  void finish(const KernelCall& call, const Task& task, const Sums& sums) const;

  ConvGeometry geometry_;
  S8Product product_;
  Tiling tiling_;
  AmxShape shape_;
  AlignedArray<int64_t> steps_;
  int64_t band_units_ = 1;
  int64_t plane_bytes_ = 0;      // between planes of a band
  bool blocks_outside_ = false;  // loop over blocks outside tiles: weights exceed the second-level cache
};

S8Amx16::S8Amx16(const ConvGeometry& geometry, S8Product product, AlignedArray<int64_t> steps)
    : geometry_(geometry),
      product_(std::move(product)),
      tiling_(tiling_of(geometry)),
      shape_(amx_shape(tiling_.points, tiling_.depth)),
      steps_(std::move(steps)) {
  blocks_outside_ = group_blocks() * product_.block_bytes() > kResidentWeights;
  const int64_t bytes = tiling_.is_point && !blocks_outside_ ? kSmallBandBytes : kBandBytes;
  band_units_ = std::clamp<int64_t>(bytes / tiling_.unit_bytes, std::min<int64_t>(2, tiling_.units), tiling_.units);
  plane_bytes_ = rows_under(geometry_.axes[1], band_units_ * tiling_.lines) * tiling_.pitch;
  set_steps();
}

void S8Amx16::set_steps() {
  int64_t* step = steps_.data();
  if (tiling_.is_point) {
    for (int64_t s = 0; s < tiling_.steps; ++s) step[s] = s * kAmxDepth;
    return;
  }
  const int64_t kernel_rows = geometry_.axes[1].kernel, row_steps = tiling_.steps / tiling_.planes / kernel_rows;
  for (int64_t plane = 0; plane < tiling_.planes; ++plane)
    for (int64_t row = 0; row < kernel_rows; ++row)
      for (int64_t s = 0; s < row_steps; ++s) *step++ = plane * plane_bytes_ + row * tiling_.pitch + s * tiling_.depth;
}

Range S8Amx16::lines_of(Range units) const {
  return {units.first * tiling_.lines, std::min(units.last * tiling_.lines, geometry_.axes[1].output)};
}

Range S8Amx16::pixels_of(Range units) const {
  return {units.first * tiling_.points, std::min(units.last * tiling_.points, tiling_.width)};
}

void S8Amx16::load_points(const int8_t* input, Range units, int8_t* to) const {
  const ConvAxis &h = geometry_.axes[1], &w = geometry_.axes[2];
  AmxInterleave points;
  points.plane_stride = geometry_.in_spatial() * kTileBlock;
  points.point_stride = w.stride * kTileBlock;
  points.planes = tiling_.planes;
  points.to = to;
  const bool is_one_line = h.stride == 1 && w.stride == 1 && w.output == w.input;
  const int64_t line = is_one_line ? tiling_.width : w.output;
  const Range pixels = pixels_of(units);
  for (int64_t pixel = pixels.first; pixel < pixels.last; pixel += points.points) {
    const int64_t y = pixel / line * h.stride - h.pad_begin, x = pixel % line * w.stride - w.pad_begin;
    points.from = input + (y * w.input + x) * kTileBlock;
    points.points = std::min(pixels.last - pixel, line - pixel % line);
    amx_interleave(points);
    points.to += points.points * tiling_.pitch;
  }
}

void S8Amx16::load_rows(const int8_t* input, Range units, int8_t* to) const {
  const ConvAxis& h = geometry_.axes[1];
  const Range lines = lines_of(units);
  const int64_t rows = rows_under(h, lines.size()), first = lines.first * h.stride - h.pad_begin;
  for (int64_t plane = 0; plane < tiling_.planes; ++plane, input += geometry_.in_spatial() * kTileBlock)
    for (int64_t row = 0; row < rows; ++row)
      load_row(input, first + row, to + plane * plane_bytes_ + row * tiling_.pitch);
}

// Copies a row of a plane with its padding.
void S8Amx16::load_row(const int8_t* input, int64_t row, int8_t* to) const {
  const ConvAxis& w = geometry_.axes[2];
  const int zero = product_.outputs().input_zero();
  const bool inside = row >= 0 && row < geometry_.axes[1].input;
  const auto clear = [&](int64_t from, int64_t end) { std::memset(to + from, zero, static_cast<size_t>(end - from)); };
  if (!inside) return clear(0, tiling_.pitch);
  const int64_t begin = w.pad_begin * kTileBlock, end = std::min(tiling_.pitch, begin + w.input * kTileBlock);
  clear(0, begin);
  std::memcpy(to + begin, input + row * w.input * kTileBlock, static_cast<size_t>(end - begin));
  clear(end, tiling_.pitch);
}

// If the weights are larger than the input, splits the work along outputs; every task then loads all inputs.
void S8Amx16::run(const KernelCall& call) const {
  const ConvGeometry& g = geometry_;
  const int64_t images = g.batch * g.group, pairs = ceil_div(ceil_div(g.group_outputs(), kTileBlock), int64_t{2});
  const int64_t threads = call.parallel->num_threads();
  const int64_t reduction = f32_products(g.group_inputs() * g.taps(), 1) / kSpeedup;
  const int64_t wanted =
      task_count(images * g.out_spatial() * g.group_outputs(), reduction, call.parallel->num_threads());
  const int64_t parts = ceil_div(wanted, images);
  const bool by_blocks = g.group_outputs() * g.taps() > g.in_spatial();
  const int64_t unit_parts = by_blocks ? 1 : std::min(parts, ceil_div(tiling_.units, int64_t{2}));
  const int64_t block_parts = std::min({pairs, parts, ceil_div(threads, unit_parts)});
  const int64_t planes = ceil_div(g.in_channels, kTileBlock);
  const size_t per_thread = scratch(1).per_thread;
  call.parallel->parallel_for(images * unit_parts * block_parts, [&](int64_t index, int slot) {
    const int64_t image = index / (unit_parts * block_parts), part = index % (unit_parts * block_parts);
    const Task task{image / g.group, image % g.group, part_of(group_blocks(), part / unit_parts, block_parts, 2),
                    call.slot_scratch<int8_t>(slot, per_thread)};
    const Range units = part_of(tiling_.units, part % unit_parts, unit_parts, 2);
    const int8_t* const input =
        call.input<int8_t>(0) + (task.image * planes + task.group * tiling_.planes) * g.in_spatial() * kTileBlock;
    const int64_t bands = ceil_div(units.size(), band_units_);
    const AmxUse use(shape_);
    for (int64_t i = 0; i < bands; ++i) {
      const Range part_units = part_of(units.size(), i, bands);
      const Range band{units.first + part_units.first, units.first + part_units.last};
      if (tiling_.is_point)
        load_points(input, band, task.bytes);
      else
        load_rows(input, band, task.bytes);
      run_band(call, task, band);
    }
  });
}

// Finishes the sums of one pair of tiles while the tile registers compute the next pair.
void S8Amx16::run_band(const KernelCall& call, const Task& task, Range units) const {
  const int64_t tiles = units.size() * tiling_.unit_tiles;
  Sums sums[2];
  int64_t runs = 0;
  const auto run = [&](int64_t first, int64_t block) {
    Sums& current = sums[runs % 2];
    current.count = std::min<int64_t>(2, tiles - first);
    for (int64_t i = 0; i < current.count; ++i) current.tiles[i] = tile_at(task, units, first + i);
    multiply(task, block, first == 0, current);
    if (runs > 0) finish(call, task, sums[(runs + 1) % 2]);
    ++runs;
  };
  if (blocks_outside_) {
    for (int64_t block = task.blocks.first; block < task.blocks.last; block += 2)
      for (int64_t tile = 0; tile < tiles; tile += 2) run(tile, block);
  } else {
    for (int64_t tile = 0; tile < tiles; tile += 2)
      for (int64_t block = task.blocks.first; block < task.blocks.last; block += 2) run(tile, block);
  }
  if (runs > 0) finish(call, task, sums[(runs + 1) % 2]);
}

Tile S8Amx16::tile_at(const Task& task, Range units, int64_t index) const {
  const int64_t unit = index / tiling_.unit_tiles;
  if (tiling_.is_point) {
    const Range pixels = pixels_of({units.first + unit, units.first + unit + 1});
    return {task.bytes + unit * tiling_.points * tiling_.pitch, pixels.first, pixels.size(), 1};
  }
  const ConvAxis &h = geometry_.axes[1], &w = geometry_.axes[2];
  const Range columns = part_of(tiling_.width, index % tiling_.unit_tiles, tiling_.unit_tiles);
  const Range lines = lines_of({units.first + unit, units.first + unit + 1});
  const int8_t* const row = task.bytes + unit * tiling_.lines * h.stride * tiling_.pitch;
  return {row + columns.first * w.stride * kTileBlock, lines.first * tiling_.width + columns.first, columns.size(),
          lines.size()};
}

// Multiplies tiles of inputs by up to two blocks of weights. `is_first`: the tiles are the first, which read the
// weights for the first time in either loop order.
void S8Amx16::multiply(const Task& task, int64_t block, bool is_first, Sums& sums) const {
  sums.first_block = task.group * group_blocks() + block;
  sums.blocks = std::min<int64_t>(2, task.blocks.last - block);
  AmxTile tile;
  for (int64_t i = 0; i < sums.count; ++i) {
    tile.points[i] = sums.tiles[i].points;
    tile.sums[i] = sums.sums + i * tiling_.points * sums.blocks * kTileBlock;
  }
  tile.point_stride = tiling_.is_point ? tiling_.pitch : geometry_.axes[2].stride * kTileBlock;
  tile.steps = steps_.data();
  tile.num_steps = tiling_.steps;
  tile.weights = product_.weights(sums.first_block);
  tile.weights_step = tiling_.depth * kTileBlock;
  tile.weights_last = product_.block_bytes() - tile.weights_step;
  tile.weights_stride = product_.block_bytes();
  tile.blocks = sums.blocks;
  tile.needs_prefetch = is_first;
  tile.start = product_.outputs().start(sums.first_block);
  amx_run(tile);
}

void S8Amx16::finish(const KernelCall& call, const Task& task, const Sums& sums) const {
  S8Finish finish;
  finish.blocks = sums.blocks;
  finish.point_stride = kTileBlock;
  finish.block_stride = geometry_.out_spatial() * kTileBlock;
  const int64_t out_blocks = ceil_div(geometry_.out_channels, kTileBlock);
  const int64_t plane = (task.image * out_blocks + sums.first_block) * geometry_.out_spatial();
  const Tile& last = sums.tiles[sums.count - 1];
  const bool is_one_run = last.lines == 1 && (sums.count == 1 || (sums.tiles[0].count == tiling_.points &&
                                                                  sums.tiles[0].first + tiling_.points == last.first));
  for (int64_t i = 0; i < (is_one_run ? 1 : sums.count); ++i) {
    const Tile& tile = sums.tiles[i];
    finish.points = is_one_run ? last.first + last.count - tile.first : tile.count;
    finish.sums = sums.sums + i * tiling_.points * sums.blocks * kTileBlock;
    for (int64_t line = 0; line < tile.lines; ++line) {
      product_.outputs().place(call, (plane + tile.first + line * tiling_.width) * kTileBlock, finish);
      product_.outputs().run(sums.first_block, finish);
      finish.sums += tiling_.line_points * sums.blocks * kTileBlock;
    }
  }
}

}  // namespace

bool accepts_conv_s8_amx16(const OperatorSpec& spec) {
  const Result<ConvGeometry> g = conv_geometry(spec);
  return g && accepts_conv_s8_direct16(spec) && accepts_geometry(*g);
}

Result<std::unique_ptr<Kernel>> prepare_conv_s8_amx16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry g, conv_geometry(spec));
  const int64_t block_bytes = ceil_div(g.group_inputs(), kTileBlock) * g.taps() * kTileBlock * kTileBlock;
  NESTRT_ASSIGN_OR_RETURN(S8Product product,
                          make_s8_conv(spec, g, Packing::kS8O16i4, block_bytes, S8Product::Multiplier::kCaller));
  AlignedArray<int64_t> steps(tiling_of(g).steps);
  if (steps.data() == nullptr) return Status(Code::kOutOfMemory, "no memory to prepare a Conv");
  return std::unique_ptr<Kernel>(std::make_unique<S8Amx16>(g, std::move(product), std::move(steps)));
}

}  // namespace nestrt::kernels
#endif
