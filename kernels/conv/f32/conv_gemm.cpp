// SPDX-License-Identifier: Apache-2.0
// Convolution of plain tensors as a matrix product, for cases that the blocked kernels do not support: weights that are
// not constant, groups of odd sizes. A task gathers the inputs of a panel of output pixels, [channels * taps][16] for
// every block of 16 pixels, and multiplies the group's weights with it. The points of a tile are output channels.
#include <algorithm>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/math/integers.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/gather_panel.h"

namespace nestrt::kernels {
namespace {

class Gemm {
 public:
  Gemm(const ConvGeometry& geometry, const Activation& activation)
      : g_(geometry),
        activation_(activation),
        tile_(tile16_function()),
        limits_(tile16_limits()),
        reduction_(geometry.group_inputs() * geometry.taps()) {}

  // One panel per block of a tile, and the offsets of one block; a multiple of 64.
  size_t panel_bytes() const { return static_cast<size_t>(limits_.blocks * kTileBlock * reduction_) * sizeof(float); }
  size_t slot_bytes() const { return panel_bytes() + static_cast<size_t>(kTileBlock * g_.taps()) * sizeof(int64_t); }
  void operator()(const KernelCall& call) const;

 private:
  void gather(const float* input, Range pixels, float* panel, int64_t* offsets) const;
  void multiply(const KernelCall& call, int64_t image, int64_t group, Range pixels, const float* panel) const;

  ConvGeometry g_;
  Activation activation_;
  Tile16Function tile_;
  TileLimits limits_;
  int64_t reduction_;
};

void Gemm::operator()(const KernelCall& call) const {
  const int64_t width = limits_.blocks * kTileBlock, panels = ceil_div(g_.out_spatial(), width);
  call.parallel->parallel_for(g_.batch * g_.group * panels, [&](int64_t index, int slot) {
    std::byte* scratch = call.thread_scratch + static_cast<size_t>(slot) * slot_bytes();
    float* panel = reinterpret_cast<float*>(scratch);
    const int64_t image = index / panels / g_.group, group = index / panels % g_.group;
    const Range pixels = part_of(g_.out_spatial(), index % panels, panels, width);
    const int64_t plane = image * g_.in_channels + group * g_.group_inputs();
    gather(call.input<float>(0) + plane * g_.in_spatial(), pixels, panel,
           reinterpret_cast<int64_t*>(scratch + panel_bytes()));
    multiply(call, image, group, pixels, panel);
  });
}

// Gathers every block of 16 pixels as [channels][taps][16].
void Gemm::gather(const float* input, Range pixels, float* panel, int64_t* offsets) const {
  for (int64_t first = pixels.first; first < pixels.last; first += kTileBlock, panel += reduction_ * kTileBlock) {
    gather_offsets(g_, {first, std::min(first + kTileBlock, pixels.last)}, kTileBlock, offsets);
    gather_panel(input, g_.group_inputs(), g_.in_spatial(), offsets, g_.taps(), panel);
  }
}

void Gemm::multiply(const KernelCall& call, int64_t image, int64_t group, Range pixels, const float* panel) const {
  const int64_t outputs = g_.group_outputs();
  const float* bias = call.inputs.size() > 2 ? call.input<float>(2) : nullptr;
  const float* residual = residual_of(call);
  int64_t offsets[kMaxTilePoints];
  for (int64_t p = 0; p < limits_.points; ++p) offsets[p] = p * reduction_;
  Tile16 tile;
  tile.blocks = ceil_div(pixels.size(), kTileBlock);
  tile.last_lanes = pixels.size() - (tile.blocks - 1) * kTileBlock;
  tile.offsets = offsets;
  tile.segments = tile.chunks = 1;
  tile.length = tile.last_length = reduction_;
  tile.weights = panel;
  tile.weights_stride = reduction_ * kTileBlock;
  tile.point_stride = g_.out_spatial();
  tile.block_stride = kTileBlock;
  tile.activation = activation_;
  const int64_t tiles = ceil_div(outputs, limits_.points);
  for (int64_t t = 0; t < tiles; ++t) {
    const Range part = part_of(outputs, t, tiles, limits_.grain);
    const int64_t channel = group * outputs + part.first;
    const int64_t at = (image * g_.out_channels + channel) * g_.out_spatial() + pixels.first;
    tile.points = part.size();
    tile.input = call.input<float>(1) + channel * reduction_;
    tile.point_bias = bias == nullptr ? nullptr : bias + channel;
    tile.residual = residual == nullptr ? nullptr : residual + at;
    tile.output = call.output<float>(0) + at;
    tile_(tile);
  }
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_conv_gemm(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry geometry, conv_geometry(spec));
  const Gemm gemm(geometry, spec.as<ops::Conv>()->activation);
  return make_kernel(gemm, ScratchSize{0, gemm.slot_bytes()});
}

}  // namespace nestrt::kernels
