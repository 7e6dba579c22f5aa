// s8 convolution over blocked16 tensors with AMX tiles (kernels/common/gemm_s8/s8_amx.h). Weights have the order of
// conv.s8.direct16.
//
// A tile's points are pixels at a constant distance, 64 bytes of each per step. Inputs are first copied to scratch in
// cache-sized *bands*:
//
//   1 x 1     the channels of each pixel, interleaved from their planes of 16
//   others    padded rows of each plane. Along a row of the kernel, the 16 channels of adjacent columns are already
//             contiguous, and a step reads up to four columns
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
  return Status(Code::kUnsupported, "conv.s8.amx16 is for x86-64");
}

}  // namespace nestrt::kernels
#else
namespace nestrt::kernels {
namespace {

constexpr int64_t kMaxKernel = 15, kMaxStride = 8;
constexpr int64_t kMaxUnitBytes = 1024 * 1024;
// For a second-level cache of 2 MB, which all CPUs with AMX have: the size of a band, and of weights that stay cached
// next to it.
constexpr int64_t kBandBytes = 256 * 1024, kResidentWeights = 1280 * 1024;
constexpr int64_t kSmallBandBytes = 32 * 1024;  // for a first-level cache of 48 KB
constexpr int64_t kSpeedup = 4;                 // of products, relative to the rate assumed by task_count()

// How the output is split into tiles. A unit is the smallest part of the output computed together: a tile of pixels for
// 1 x 1, otherwise `lines` lines.
struct Cut {
  bool is_point = false;
  int64_t units = 0;
  int64_t lines = 1;        // of a unit; if more than one, all are in one tile
  int64_t line_points = 0;  // points between two lines of a tile
  int64_t width = 0;        // pixels of a line
  int64_t pieces = 1;       // adjacent tiles of a unit
  int64_t points = 0;       // of a tile, maximum
  int64_t depth = 0;        // bytes of a step
  int64_t steps = 0;
  int64_t planes = 0;      // of 16 channels, per group
  int64_t pitch = 0;       // bytes of a padded row; of a point for 1 x 1
  int64_t unit_bytes = 0;  // of a band of one unit
};

Cut point_cut(const ConvGeometry& g) {
  Cut cut;
  cut.is_point = true;
  cut.planes = ceil_div(g.group_inputs(), kTileBlock);
  cut.width = g.out_spatial();
  cut.units = ceil_div(cut.width, kAmxPoints);
  cut.points = ceil_div(cut.width, cut.units);
  cut.depth = std::min(kAmxDepth, cut.planes * kTileBlock);
  cut.pitch = round_up(cut.planes * kTileBlock, kAmxDepth);
  cut.steps = cut.pitch / kAmxDepth;
  cut.unit_bytes = cut.points * cut.pitch;
  return cut;
}

// Returns the number of input rows under `lines` output lines.
int64_t rows_under(const ConvAxis& h, int64_t lines) { return (lines - 1) * h.stride + h.kernel; }

Cut window_cut(const ConvGeometry& g) {
  const ConvAxis &h = g.axes[1], &w = g.axes[2];
  Cut cut;
  cut.planes = ceil_div(g.group_inputs(), kTileBlock);
  cut.width = w.output;
  const int64_t columns = (w.output - 1) * w.stride + w.kernel;
  cut.pitch = columns * kTileBlock;
  cut.pieces = ceil_div(cut.width, kAmxPoints);
  cut.points = ceil_div(cut.width, cut.pieces);
  // The points between lines are computed and ignored.
  if (h.stride == 1 && w.stride == 1 && columns + cut.width <= kAmxPoints) {
    cut.line_points = columns;
    cut.lines = std::min(h.output, (kAmxPoints - cut.width) / columns + 1);
    cut.points += (cut.lines - 1) * columns;
  }
  cut.units = ceil_div(h.output, cut.lines);
  const int64_t row_bytes = w.kernel * kTileBlock, row_steps = ceil_div(row_bytes, kAmxDepth);
  cut.depth = row_bytes % (4 * row_steps) == 0 ? row_bytes / row_steps : 0;
  cut.steps = cut.planes * h.kernel * row_steps;
  cut.unit_bytes = rows_under(h, cut.lines) * cut.pitch * cut.planes;
  return cut;
}

bool is_point(const ConvGeometry& g) { return g.axes[1].kernel == 1 && g.axes[2].kernel == 1; }

Cut cut_of(const ConvGeometry& g) { return is_point(g) ? point_cut(g) : window_cut(g); }

// Returns whether every output of a kernel of one element reads an element of the input.
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
  const Cut cut = cut_of(g);
  return cut.depth != 0 && cut.unit_bytes <= kMaxUnitBytes;
}

// A tile: points in one line, or the same number of points in each of several lines.
struct Tile {
  const int8_t* points;
  int64_t first;  // pixel
  int64_t count;  // per line
  int64_t lines;
};

// Up to two tiles by two blocks.
struct Sums {
  Tile tiles[2];
  int64_t count;  // of tiles
  int64_t first_block, blocks;
  alignas(64) int32_t sums[2 * kAmxPoints * 2 * kTileBlock];  // the second tile follows the first
};

// The part of a group of an image that a task computes, and the scratch for its bands.
struct Task {
  int64_t image, group;
  Range blocks;
  int8_t* bytes;
};

class S8Amx16 final : public Kernel {
 public:
  // `steps` has room for Tiling::steps entries.
  S8Amx16(const ConvGeometry& geometry, S8Product product, AlignedArray<int64_t> steps);

  void run(const KernelCall& call) const override;
  bool repacked() const override { return product_.repacked(); }
  ScratchSize scratch(int) const override { return {0, static_cast<size_t>(band_units_ * cut_.unit_bytes + slack())}; }

 private:
  // Bytes that tiles read past the end of a band.
  int64_t slack() const { return kAmxPoints * kMaxStride * kTileBlock + kAmxDepth + cut_.lines * cut_.pitch; }
  int64_t group_blocks() const { return ceil_div(geometry_.group_outputs(), kTileBlock); }
  void set_steps();
  Range lines_of(Range units) const;
  Range pixels_of(Range units) const;
  void bring_points(const int8_t* input, Range units, int8_t* to) const;
  void bring_rows(const int8_t* input, Range units, int8_t* to) const;
  void bring_row(const int8_t* input, int64_t row, int8_t* to) const;
  void run_band(const KernelCall& call, const Task& task, Range units) const;
  Tile tile_at(const Task& task, Range units, int64_t index) const;
  void multiply(const Task& task, int64_t block, bool is_first, Sums& sums) const;
  void finish(const KernelCall& call, const Task& task, const Sums& sums) const;

  ConvGeometry geometry_;
  S8Product product_;
  Cut cut_;
  AmxShape shape_;
  AlignedArray<int64_t> steps_;
  int64_t band_units_ = 1;
  int64_t plane_bytes_ = 0;      // between planes of a band
  bool blocks_outside_ = false;  // loop over blocks outside tiles: weights exceed the second-level cache
};

S8Amx16::S8Amx16(const ConvGeometry& geometry, S8Product product, AlignedArray<int64_t> steps)
    : geometry_(geometry),
      product_(std::move(product)),
      cut_(cut_of(geometry)),
      shape_(amx_shape(cut_.points, cut_.depth)),
      steps_(std::move(steps)) {
  blocks_outside_ = group_blocks() * product_.block_bytes() > kResidentWeights;
  const int64_t bytes = cut_.is_point && !blocks_outside_ ? kSmallBandBytes : kBandBytes;
  band_units_ = std::clamp<int64_t>(bytes / cut_.unit_bytes, std::min<int64_t>(2, cut_.units), cut_.units);
  plane_bytes_ = rows_under(geometry_.axes[1], band_units_ * cut_.lines) * cut_.pitch;
  set_steps();
}

void S8Amx16::set_steps() {
  int64_t* step = steps_.data();
  if (cut_.is_point) {
    for (int64_t s = 0; s < cut_.steps; ++s) step[s] = s * kAmxDepth;
    return;
  }
  const int64_t kernel_rows = geometry_.axes[1].kernel, row_steps = cut_.steps / cut_.planes / kernel_rows;
  for (int64_t plane = 0; plane < cut_.planes; ++plane)
    for (int64_t row = 0; row < kernel_rows; ++row)
      for (int64_t s = 0; s < row_steps; ++s) *step++ = plane * plane_bytes_ + row * cut_.pitch + s * cut_.depth;
}

Range S8Amx16::lines_of(Range units) const {
  return {units.first * cut_.lines, std::min(units.last * cut_.lines, geometry_.axes[1].output)};
}

Range S8Amx16::pixels_of(Range units) const {
  return {units.first * cut_.points, std::min(units.last * cut_.points, cut_.width)};
}

void S8Amx16::bring_points(const int8_t* input, Range units, int8_t* to) const {
  const ConvAxis &h = geometry_.axes[1], &w = geometry_.axes[2];
  AmxInterleave points;
  points.plane_stride = geometry_.in_spatial() * kTileBlock;
  points.point_stride = w.stride * kTileBlock;
  points.planes = cut_.planes;
  points.to = to;
  const bool is_one_line = h.stride == 1 && w.stride == 1 && w.output == w.input;
  const int64_t line = is_one_line ? cut_.width : w.output;
  const Range pixels = pixels_of(units);
  for (int64_t pixel = pixels.first; pixel < pixels.last; pixel += points.points) {
    const int64_t y = pixel / line * h.stride - h.pad_begin, x = pixel % line * w.stride - w.pad_begin;
    points.from = input + (y * w.input + x) * kTileBlock;
    points.points = std::min(pixels.last - pixel, line - pixel % line);
    amx_interleave(points);
    points.to += points.points * cut_.pitch;
  }
}

void S8Amx16::bring_rows(const int8_t* input, Range units, int8_t* to) const {
  const ConvAxis& h = geometry_.axes[1];
  const Range lines = lines_of(units);
  const int64_t rows = rows_under(h, lines.size()), first = lines.first * h.stride - h.pad_begin;
  for (int64_t plane = 0; plane < cut_.planes; ++plane, input += geometry_.in_spatial() * kTileBlock)
    for (int64_t row = 0; row < rows; ++row)
      bring_row(input, first + row, to + plane * plane_bytes_ + row * cut_.pitch);
}

// Copies a row of a plane with its padding.
void S8Amx16::bring_row(const int8_t* input, int64_t row, int8_t* to) const {
  const ConvAxis& w = geometry_.axes[2];
  const int zero = product_.outputs().input_zero();
  const bool inside = row >= 0 && row < geometry_.axes[1].input;
  const auto clear = [&](int64_t from, int64_t end) { std::memset(to + from, zero, static_cast<size_t>(end - from)); };
  if (!inside) return clear(0, cut_.pitch);
  const int64_t begin = w.pad_begin * kTileBlock, end = std::min(cut_.pitch, begin + w.input * kTileBlock);
  clear(0, begin);
  std::memcpy(to + begin, input + row * w.input * kTileBlock, static_cast<size_t>(end - begin));
  clear(end, cut_.pitch);
}

// Splits work along outputs if the weights are larger than the input; every task then loads all inputs.
void S8Amx16::run(const KernelCall& call) const {
  const ConvGeometry& g = geometry_;
  const int64_t images = g.batch * g.group, pairs = ceil_div(ceil_div(g.group_outputs(), kTileBlock), int64_t{2});
  const int64_t threads = call.parallel->num_threads();
  const int64_t reduction = f32_products(g.group_inputs() * g.taps(), 1) / kSpeedup;
  const int64_t wanted =
      task_count(images * g.out_spatial() * g.group_outputs(), reduction, call.parallel->num_threads());
  const int64_t parts = ceil_div(wanted, images);
  const bool by_blocks = g.group_outputs() * g.taps() > g.in_spatial();
  const int64_t unit_parts = by_blocks ? 1 : std::min(parts, ceil_div(cut_.units, int64_t{2}));
  const int64_t block_parts = std::min({pairs, parts, ceil_div(threads, unit_parts)});
  const int64_t planes = ceil_div(g.in_channels, kTileBlock);
  const size_t per_thread = scratch(1).per_thread;
  call.parallel->parallel_for(images * unit_parts * block_parts, [&](int64_t index, int slot) {
    const int64_t image = index / (unit_parts * block_parts), part = index % (unit_parts * block_parts);
    const Task task{image / g.group, image % g.group, part_of(group_blocks(), part / unit_parts, block_parts, 2),
                    call.slot_scratch<int8_t>(slot, per_thread)};
    const Range units = part_of(cut_.units, part % unit_parts, unit_parts, 2);
    const int8_t* const input =
        call.input<int8_t>(0) + (task.image * planes + task.group * cut_.planes) * g.in_spatial() * kTileBlock;
    const int64_t bands = ceil_div(units.size(), band_units_);
    const AmxUse use(shape_);
    for (int64_t i = 0; i < bands; ++i) {
      const Range part_units = part_of(units.size(), i, bands);
      const Range band{units.first + part_units.first, units.first + part_units.last};
      if (cut_.is_point)
        bring_points(input, band, task.bytes);
      else
        bring_rows(input, band, task.bytes);
      run_band(call, task, band);
    }
  });
}

// Finishes the sums of one pair of tiles while the tile registers compute the next pair.
void S8Amx16::run_band(const KernelCall& call, const Task& task, Range units) const {
  const int64_t tiles = units.size() * cut_.pieces;
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
  const int64_t unit = index / cut_.pieces;
  if (cut_.is_point) {
    const Range pixels = pixels_of({units.first + unit, units.first + unit + 1});
    return {task.bytes + unit * cut_.points * cut_.pitch, pixels.first, pixels.size(), 1};
  }
  const ConvAxis &h = geometry_.axes[1], &w = geometry_.axes[2];
  const Range columns = part_of(cut_.width, index % cut_.pieces, cut_.pieces);
  const Range lines = lines_of({units.first + unit, units.first + unit + 1});
  const int8_t* const row = task.bytes + unit * cut_.lines * h.stride * cut_.pitch;
  return {row + columns.first * w.stride * kTileBlock, lines.first * cut_.width + columns.first, columns.size(),
          lines.size()};
}

// In either loop order, the first tiles are the ones that read weights for the first time.
void S8Amx16::multiply(const Task& task, int64_t block, bool is_first, Sums& sums) const {
  sums.first_block = task.group * group_blocks() + block;
  sums.blocks = std::min<int64_t>(2, task.blocks.last - block);
  AmxTile tile;
  for (int64_t i = 0; i < sums.count; ++i) {
    tile.points[i] = sums.tiles[i].points;
    tile.sums[i] = sums.sums + i * cut_.points * sums.blocks * kTileBlock;
  }
  tile.point_stride = cut_.is_point ? cut_.pitch : geometry_.axes[2].stride * kTileBlock;
  tile.steps = steps_.data();
  tile.num_steps = cut_.steps;
  tile.weights = product_.weights(sums.first_block);
  tile.weights_step = cut_.depth * kTileBlock;
  tile.weights_last = product_.block_bytes() - tile.weights_step;
  tile.weights_stride = product_.block_bytes();
  tile.blocks = sums.blocks;
  tile.are_far = is_first;
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
  const bool is_one_run =
      last.lines == 1 &&
      (sums.count == 1 || (sums.tiles[0].count == cut_.points && sums.tiles[0].first + cut_.points == last.first));
  for (int64_t i = 0; i < (is_one_run ? 1 : sums.count); ++i) {
    const Tile& tile = sums.tiles[i];
    finish.points = is_one_run ? last.first + last.count - tile.first : tile.count;
    finish.sums = sums.sums + i * cut_.points * sums.blocks * kTileBlock;
    for (int64_t line = 0; line < tile.lines; ++line) {
      product_.outputs().place(call, (plane + tile.first + line * cut_.width) * kTileBlock, finish);
      product_.outputs().run(sums.first_block, finish);
      finish.sums += cut_.line_points * sums.blocks * kTileBlock;
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
  AlignedArray<int64_t> steps(cut_of(g).steps);
  if (steps.data() == nullptr) return Status(Code::kOutOfMemory, "no memory to prepare a Conv");
  return std::unique_ptr<Kernel>(std::make_unique<S8Amx16>(g, std::move(product), std::move(steps)));
}

}  // namespace nestrt::kernels
#endif
