// SPDX-License-Identifier: Apache-2.0
// Direct s8 convolution over blocked16 tensors. See kernels/conv/direct_tasks.h for how its tiles cover the output.
//
// Padding channels of the last block need no special handling: their weights are zeros, so any input value contributes
// zero.
//
// On some cores, the tile flushes 16-bit sums less often if no input is negative, as after a Relu; there, inputs are
// checked first. If a centre must also be subtracted (kernels/common/gemm_s8/s8_chains.h) and the kernel has several
// taps, the inputs are copied.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>

#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/gemm_s8/s8_chains.h"
#include "kernels/common/math/integers.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/conv_rows.h"
#include "kernels/conv/direct_tasks.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kMinProductsPerByte = 128;  // products per input byte
constexpr int64_t kMaxCopied = 512 * 1024;    // bytes that fit the second-level cache in addition to other data
constexpr int64_t kCopyGrain = 64;            // bytes; threads share no cache line of the copy

constexpr uint64_t kSigns = 0x8080808080808080;

// The input and output pixels of an image, in blocks of channels.
struct Pixels {
  const int8_t* input = nullptr;
  S8Product::Inputs known = S8Product::Inputs::kAny;
  int64_t input_stride = 0;  // between blocks
  std::byte* output = nullptr;
  const int8_t* residual = nullptr;  // or null
  int64_t output_stride = 0;         // elements, also of the residual
};

class S8Direct16 final : public Kernel, public WindowRows {
 public:
  S8Direct16(const ConvGeometry& geometry, S8Product product)
      : WindowRows(blocked_rows(geometry, 1)),
        geometry_(geometry),
        product_(std::move(product)),
        tasks_(geometry_, product_.limits(), 1) {
    const int64_t strides = geometry.axes[0].stride * geometry.axes[1].stride * geometry.axes[2].stride;
    const int64_t bytes = geometry.batch * ceil_div(geometry.in_channels, kTileBlock) * in_plane();
    const bool is_faster =
        geometry.group_outputs() * geometry.taps() >= kMinProductsPerByte * strides && bytes <= kMaxCopied;
    if (is_faster && product_.can_centre() && !product_.centres_pixels()) copied_bytes_ = bytes;
  }

  void run(const KernelCall& call) const override;
  bool repacked() const override { return product_.repacked(); }
  ScratchSize scratch(int) const override { return {static_cast<size_t>(copied_bytes_), tasks_.scratch_bytes()}; }
  const RowKernel* by_rows() const override {
    const bool has_row_kernel = reads_own_pixels(geometry_) && geometry_.group == 1 && has_rows(geometry_);
    return has_row_kernel && !product_.outputs().wide() ? this : nullptr;
  }

  size_t row_scratch(int64_t rows) const override { return pixel_offsets_bytes(geometry_, rows); }
  void run_rows(const RowCall& call) const override;

 private:
  int64_t in_plane() const { return geometry_.in_spatial() * kTileBlock; }
  bool copy_centred(const KernelCall& call, int8_t* to) const;
  bool not_negative(const KernelCall& call) const;
  // `inputs`: the input of the call, or its centred copy.
  Pixels pixels_of(const KernelCall& call, const int8_t* inputs, S8Product::Inputs known,
                   const DirectChunk& chunk) const;
  void run_chunk(const Pixels& pixels, const DirectChunk& chunk) const;
  S8Product::Inputs inputs_of(const Pixels& pixels, const DirectChunk& chunk, const S8Tile& tile) const;

  ConvGeometry geometry_;
  S8Product product_;
  DirectTasks tasks_;
  int64_t copied_bytes_ = 0;  // size of the centred copy of non-negative inputs; 0: no copy
};

bool any_below_zero(const int8_t* bytes, int64_t count) {
  uint64_t found[4] = {}, some[4];
  for (int64_t i = 0; i + int64_t{sizeof some} <= count; i += sizeof some) {
    std::memcpy(some, bytes + i, sizeof some);
    for (int k = 0; k < 4; ++k) found[k] |= some[k];
  }
  if (count % int64_t{sizeof some} != 0) {
    std::memcpy(some, bytes + count - kTileBlock, kTileBlock);
    found[0] |= some[0] | some[1];
  }
  return ((found[0] | found[1] | found[2] | found[3]) & kSigns) != 0;
}

// Returns whether all inputs of a chunk of a 1 x 1 Conv are non-negative.
bool pixels_not_negative(const S8Tile& tile, std::span<const int64_t> offsets) {
  for (int64_t c = 0; c < tile.chunks; ++c) {
    const int8_t* const input = tile.input + c * tile.chunk_stride;
    // If the pixels are adjacent, checks them together. (Offsets increase by at least one pixel.)
    const auto pixels = std::ssize(offsets);
    if (offsets.back() - offsets.front() == (pixels - 1) * kTileBlock) {
      if (any_below_zero(input + offsets.front(), pixels * kTileBlock)) return false;
      continue;
    }
    for (const int64_t offset : offsets)
      if (any_below_zero(input + offset, kTileBlock)) return false;
  }
  return true;
}

void S8Direct16::run(const KernelCall& call) const {
  using Inputs = S8Product::Inputs;
  auto* const copy = reinterpret_cast<int8_t*>(call.shared_scratch);
  const auto* inputs = call.input<int8_t>(0);
  Inputs known = Inputs::kAny;
  if (copied_bytes_ > 0 && copy_centred(call, copy)) {
    inputs = copy;
    known = Inputs::kCentred;
  } else if (product_.centres_pixels() && geometry_.taps() > 1 && not_negative(call)) {
    known = Inputs::kNotNegative;
  }
  tasks_.run(geometry_, call,
             [&](const DirectChunk& chunk) { run_chunk(pixels_of(call, inputs, known, chunk), chunk); });
}

bool S8Direct16::not_negative(const KernelCall& call) const {
  const ConvGeometry& g = geometry_;
  const int64_t bytes = g.batch * ceil_div(g.in_channels, kTileBlock) * in_plane();
  const auto* const inputs = call.input<int8_t>(0);
  std::atomic<bool> negative = false;
  parallel_ranges(*call.parallel, ceil_div(bytes, kCopyGrain), kCopyGrain, [&](int64_t first, int64_t last) {
    const int64_t from = first * kCopyGrain, to = std::min(last * kCopyGrain, bytes);
    if (any_below_zero(inputs + from, to - from)) negative.store(true, std::memory_order_relaxed);
  });
  return !negative.load(std::memory_order_relaxed);
}

void S8Direct16::run_rows(const RowCall& call) const {
  Pixels pixels;
  pixels.input = reinterpret_cast<const int8_t*>(call.input);
  pixels.input_stride = call.input_block_bytes;
  pixels.output = call.output;
  pixels.residual = reinterpret_cast<const int8_t*>(call.residual);
  pixels.output_stride = call.output_block_bytes;
  run_chunk(pixels, chunk_of_rows(geometry_, call));
}

Pixels S8Direct16::pixels_of(const KernelCall& call, const int8_t* inputs, S8Product::Inputs known,
                             const DirectChunk& chunk) const {
  const ConvGeometry& g = geometry_;
  const int64_t out_blocks = ceil_div(g.out_channels, kTileBlock), in_blocks = ceil_div(g.in_channels, kTileBlock);
  const int64_t first_in = chunk.image * in_blocks + chunk.group * ceil_div(g.group_inputs(), kTileBlock);
  const int64_t first_out = chunk.image * out_blocks + chunk.group * tasks_.group_blocks();
  Pixels pixels;
  pixels.known = known;
  pixels.input_stride = in_plane();
  pixels.input = inputs + first_in * pixels.input_stride;
  pixels.output_stride = g.out_spatial() * kTileBlock;
  const int64_t at = first_out * pixels.output_stride;
  pixels.output = call.outputs[0] + at * (product_.outputs().wide() ? int64_t{sizeof(float)} : 1);
  pixels.residual = call.inputs.size() > 3 && call.inputs[3] != nullptr ? call.input<int8_t>(3) + at : nullptr;
  return pixels;
}

// Copies the inputs minus the centre. Returns false if an input is negative; the copy is then unspecified.
bool S8Direct16::copy_centred(const KernelCall& call, int8_t* to) const {
  const int8_t* const from = call.input<int8_t>(0);
  // Adding this to non-negative bytes does not carry.
  const uint64_t centres = static_cast<uint64_t>(product_.centre()) * 0x0101010101010101;
  std::atomic<bool> negative = false;
  parallel_ranges(*call.parallel, ceil_div(copied_bytes_, kCopyGrain), kCopyGrain, [&](int64_t first, int64_t last) {
    const int64_t end = std::min(last * kCopyGrain, copied_bytes_);
    uint64_t signs = 0;
    for (int64_t i = first * kCopyGrain; i < end; i += kTileBlock) {
      uint64_t some[2];
      std::memcpy(some, from + i, sizeof some);
      signs |= some[0] | some[1];
      for (uint64_t& eight : some) eight = (eight + centres) ^ kSigns;
      std::memcpy(to + i, some, sizeof some);
    }
    if ((signs & kSigns) != 0) negative.store(true, std::memory_order_relaxed);
  });
  return !negative.load(std::memory_order_relaxed);
}

// Checks inputs only if there are several blocks of outputs: the check costs a third of what it saves for one block.
S8Product::Inputs S8Direct16::inputs_of(const Pixels& pixels, const DirectChunk& chunk, const S8Tile& tile) const {
  if (geometry_.taps() > 1) return pixels.known;
  const bool checks = product_.centres_pixels() && chunk.blocks.size() > 1;
  const bool found = checks && pixels_not_negative(tile, {chunk.offsets, static_cast<size_t>(chunk.pixels.size())});
  return found ? S8Product::Inputs::kNotNegative : S8Product::Inputs::kAny;
}

void S8Direct16::run_chunk(const Pixels& pixels, const DirectChunk& chunk) const {
  const ConvGeometry& g = geometry_;
  const int64_t first_block = chunk.group * tasks_.group_blocks();
  TileLimits limits = product_.limits();
  if (g.taps() == 1) limits.points = chunk.pixels.size();  // the product splits them itself
  S8Tile tile;
  tile.segments = g.taps();
  tile.chunks = ceil_div(g.group_inputs(), kTileBlock);
  tile.chunk_stride = pixels.input_stride;
  tile.length = kTileBlock;
  tile.input = pixels.input;
  S8Finish finish;
  finish.point_stride = kTileBlock;
  finish.block_stride = pixels.output_stride;
  const int64_t tiles = chunk.tiles(limits.points);
  const S8Product::Inputs inputs = inputs_of(pixels, chunk, tile);
  for (int64_t block = chunk.blocks.first; block < chunk.blocks.last; block += limits.blocks) {
    tile.blocks = std::min(limits.blocks, chunk.blocks.last - block);
    tile.offsets = chunk.offsets;
    for (int64_t t = 0; t < tiles; ++t) {
      const Range part = chunk.tile(t, limits);
      const int64_t at = block * pixels.output_stride + (chunk.pixels.first + part.first) * kTileBlock;
      tile.points = part.size();
      tile.sequence = t;
      product_.outputs().place(pixels.output, pixels.residual, at, finish);
      product_.run(first_block + block, tile, finish, inputs);
      tile.offsets += tile.segments * tile.points;
    }
  }
}

}  // namespace

bool accepts_conv_s8_direct16(const OperatorSpec& spec) {
  const Result<ConvGeometry> g = conv_geometry(spec);
  if (!g || !accepts_s8_blocked(spec, Layout::kBlocked16, Packing::kS8O16i4)) return false;
  return g->group == 1 || (g->group_inputs() % kTileBlock == 0 && g->group_outputs() % kTileBlock == 0);
}

Result<std::unique_ptr<Kernel>> prepare_conv_s8_direct16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry g, conv_geometry(spec));
  const int64_t block_bytes = ceil_div(g.group_inputs(), kTileBlock) * g.taps() * kTileBlock * kTileBlock;
  NESTRT_ASSIGN_OR_RETURN(S8Product product, make_s8_conv(spec, g, Packing::kS8O16i4, block_bytes));
  return std::unique_ptr<Kernel>(std::make_unique<S8Direct16>(g, std::move(product)));
}

}  // namespace nestrt::kernels
