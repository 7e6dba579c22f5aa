// SPDX-License-Identifier: Apache-2.0
// s8 convolution of plain tensors, for groups of sizes that the blocked kernels do not support. All inputs of a few
// output pixels are gathered as [pixel][channel][tap] and multiplied with all weights of the group. Outputs are
// scattered from the tile's order to their planes.
#include <algorithm>
#include <span>
#include <vector>

#include "kernels/common/math/integers.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/gather_offsets.h"

namespace nestrt::kernels {
namespace {

// Blocks of outputs do not span groups: the outputs of each group are padded to whole blocks.
int64_t group_blocks(const ConvGeometry& g) { return ceil_div(g.group_outputs(), kTileBlock); }

template <typename T>
void scatter(const T* from, int64_t lanes, int64_t pixels, int64_t spatial, T* to) {
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t p = 0; p < pixels; ++p) to[lane * spatial + p] = from[p * kTileBlock + lane];
}

class S8Gather final : public Kernel {
 public:
  S8Gather(const ConvGeometry& geometry, S8Product product)
      : g_(geometry), product_(std::move(product)), segment_(round_up(g_.group_inputs() * g_.taps(), kS8Grain)) {}

  void run(const KernelCall& call) const override;
  ScratchSize scratch(int) const override { return {0, offset_bytes() + static_cast<size_t>(points() * segment_)}; }

 private:
  int64_t points() const { return product_.limits().points; }
  size_t offset_bytes() const { return static_cast<size_t>(points() * g_.taps()) * sizeof(int64_t); }
  void gather(const int8_t* input, Range pixels, int64_t* offsets, int8_t* panel) const;
  void multiply(const KernelCall& call, int64_t image, int64_t group, Range pixels, const int8_t* panel) const;
  void run_block(const KernelCall& call, int64_t image, int64_t group, int64_t block, Range pixels, S8Tile& tile) const;

  ConvGeometry g_;
  S8Product product_;
  int64_t segment_;  // input bytes per output pixel and group; weights past the last are zeros
};

void S8Gather::run(const KernelCall& call) const {
  const int64_t tiles = ceil_div(g_.out_spatial(), points()), items = g_.batch * g_.group * tiles;
  const int64_t wanted = task_count(g_.batch * g_.out_channels * g_.out_spatial(),
                                    f32_products(g_.group_inputs() * g_.taps(), 1), call.parallel->num_threads());
  const int64_t parts = std::min(wanted, items);
  const size_t per_thread = scratch(1).per_thread;
  call.parallel->parallel_for(parts, [&](int64_t index, int slot) {
    auto* scratch = call.slot_scratch<std::byte>(slot, per_thread);
    auto* panel = reinterpret_cast<int8_t*>(scratch + offset_bytes());
    const Range part = part_of(items, index, parts);
    for (int64_t item = part.first; item < part.last; ++item) {
      const int64_t image = item / tiles / g_.group, group = item / tiles % g_.group;
      const Range pixels = part_of(g_.out_spatial(), item % tiles, tiles);
      const int64_t plane = image * g_.in_channels + group * g_.group_inputs();
      gather(call.input<int8_t>(0) + plane * g_.in_spatial(), pixels, reinterpret_cast<int64_t*>(scratch), panel);
      multiply(call, image, group, pixels, panel);
    }
  });
}

void S8Gather::gather(const int8_t* input, Range pixels, int64_t* offsets, int8_t* panel) const {
  const int64_t count = pixels.size(), taps = g_.taps();
  const int8_t zero = product_.outputs().input_zero();
  gather_offsets(g_, pixels, count, offsets);
  for (int64_t p = 0; p < count; ++p) {
    int8_t* to = panel + p * segment_;
    const int8_t* plane = input;
    for (int64_t c = 0; c < g_.group_inputs(); ++c, plane += g_.in_spatial())
      for (int64_t tap = 0; tap < taps; ++tap) {
        const int64_t offset = offsets[tap * count + p];
        *to++ = offset < 0 ? zero : plane[offset];
      }
    std::fill(to, panel + (p + 1) * segment_, int8_t{0});
  }
}

void S8Gather::multiply(const KernelCall& call, int64_t image, int64_t group, Range pixels, const int8_t* panel) const {
  int64_t offsets[kMaxTilePoints];
  for (int64_t p = 0; p < pixels.size(); ++p) offsets[p] = p * segment_;
  S8Tile tile;
  tile.points = pixels.size();
  tile.blocks = tile.segments = tile.chunks = 1;
  tile.input = panel;
  tile.offsets = offsets;
  tile.length = segment_;
  for (int64_t block = 0; block < group_blocks(g_); ++block) run_block(call, image, group, block, pixels, tile);
}

void S8Gather::run_block(const KernelCall& call, int64_t image, int64_t group, int64_t block, Range pixels,
                         S8Tile& tile) const {
  int8_t output[kMaxTilePoints * kTileBlock], residual[kMaxTilePoints * kTileBlock] = {};
  float wide[kMaxTilePoints * kTileBlock];
  const int64_t lanes = std::min(kTileBlock, g_.group_outputs() - block * kTileBlock), spatial = g_.out_spatial();
  const int64_t channel = group * g_.group_outputs() + block * kTileBlock;
  const int64_t at = (image * g_.out_channels + channel) * spatial + pixels.first;
  S8Finish finish;
  finish.point_stride = kTileBlock;
  if (call.inputs.size() > 3 && call.inputs[3] != nullptr) {
    const int8_t* from = call.input<int8_t>(3) + at;
    for (int64_t lane = 0; lane < lanes; ++lane)
      for (int64_t p = 0; p < pixels.size(); ++p) residual[p * kTileBlock + lane] = from[lane * spatial + p];
    finish.residual = residual;
  }
  const bool is_wide = product_.outputs().wide();
  if (is_wide)
    finish.wide = wide;
  else
    finish.output = output;
  product_.run(group * group_blocks(g_) + block, tile, finish);
  if (is_wide)
    scatter(wide, lanes, pixels.size(), spatial, call.output<float>(0) + at);
  else
    scatter(output, lanes, pixels.size(), spatial, call.output<int8_t>(0) + at);
}

// Copies per-output values into an array with one entry for every output of every block, including padding.
template <typename T>
std::vector<T> by_block(const ConvGeometry& g, std::span<const T> values) {
  if (values.empty()) return {};
  std::vector<T> result(static_cast<size_t>(g.group * group_blocks(g) * kTileBlock));
  for (int64_t group = 0; group < g.group; ++group)
    std::copy_n(values.begin() + group * g.group_outputs(), g.group_outputs(),
                result.begin() + group * group_blocks(g) * kTileBlock);
  return result;
}

// Packs the weights like those of a stem with one column. Outputs have the order of by_block().
Result<PackedBytes> pack_groups(const TensorSpec& weights, const ConvGeometry& g) {
  const int64_t reduction = g.group_inputs() * g.taps(), outputs = g.group * group_blocks(g) * kTileBlock;
  AlignedArray<int8_t> rows(outputs * reduction);
  if (rows.data() == nullptr) return Status(Code::kOutOfMemory, "no memory to pack the weights of a Conv");
  for (int64_t group = 0; group < g.group; ++group)
    std::copy_n(reinterpret_cast<const int8_t*>(weights.constant) + group * g.group_outputs() * reduction,
                g.group_outputs() * reduction, rows.data() + group * group_blocks(g) * kTileBlock * reduction);
  TensorSpec matrix = weights;
  matrix.shape = {outputs, reduction, 1};
  matrix.constant = reinterpret_cast<const std::byte*>(rows.data());
  return PackedBytes::make(matrix, Packing::kS8Stem);
}

}  // namespace

bool accepts_conv_s8_gather(const OperatorSpec& spec) { return accepts_conv_s8_reference(spec); }

Result<std::unique_ptr<Kernel>> prepare_conv_s8_gather(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry g, conv_geometry(spec));
  NESTRT_ASSIGN_OR_RETURN(s8::Epilogue epilogue, s8::conv_epilogue(spec));
  NESTRT_ASSIGN_OR_RETURN(PackedBytes weights, pack_groups(spec.inputs[1], g));
  epilogue.exponents = by_block<int>(g, epilogue.exponents);
  epilogue.shifts = by_block<int>(g, epilogue.shifts);
  epilogue.multipliers = by_block<float>(g, epilogue.multipliers);
  const auto bias_count = static_cast<size_t>(s8_bias(spec) == nullptr ? 0 : g.out_channels);
  const std::vector<int32_t> bias = by_block<int32_t>(g, {s8_bias(spec), bias_count});
  const int64_t block_bytes = round_up(g.group_inputs() * g.taps(), kS8Grain) * kTileBlock;
  NESTRT_ASSIGN_OR_RETURN(S8Product product,
                          S8Product::make(std::move(weights), g.group * group_blocks(g) * kTileBlock, block_bytes,
                                          bias.empty() ? nullptr : bias.data(), epilogue));
  return std::unique_ptr<Kernel>(std::make_unique<S8Gather>(g, std::move(product)));
}

}  // namespace nestrt::kernels
