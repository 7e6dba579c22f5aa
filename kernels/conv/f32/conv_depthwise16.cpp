// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution over blocked16 tensors. A task computes output rows of blocks of 16 channels.
#include "kernels/conv/f32/conv_depthwise16.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/conv_rows.h"

namespace nestrt::kernels {
namespace {

class Depthwise16 final : public Kernel, public WindowRows {
 public:
  explicit Depthwise16(BlockedConv conv)
      : WindowRows(blocked_rows(conv.geometry, sizeof(float))), conv_(std::move(conv)), rows_(depthwise_function()) {}
  void run(const KernelCall& call) const override;
  bool repacked() const override { return conv_.weights.repacked(); }
  const RowKernel* by_rows() const override { return has_rows(conv_.geometry) ? this : nullptr; }

  size_t row_scratch(int64_t) const override { return 0; }
  void run_rows(const RowCall& call) const override;

 private:
  DepthwiseRows rows_of(const ConvGeometry& geometry, int64_t block) const;
  void run_slab(const KernelCall& call, int64_t slab, Range rows) const;

  BlockedConv conv_;
  DepthwiseFunction rows_;
};

void Depthwise16::run(const KernelCall& call) const {
  const ConvGeometry& g = conv_.geometry;
  const int64_t slabs = g.batch * conv_.out_blocks() * g.axes[0].output, height = g.axes[1].output;
  // Every product requires a load.
  const int64_t wanted =
      task_count(slabs * height * g.axes[2].output * kTileBlock, g.taps() * 2, call.parallel->num_threads());
  parallel_planes(*call.parallel, slabs, height, wanted, kMinRows,
                  [&](int64_t slab, Range rows, int) { run_slab(call, slab, rows); });
}

// Returns the parameters that do not depend on the rows.
DepthwiseRows Depthwise16::rows_of(const ConvGeometry& geometry, int64_t block) const {
  DepthwiseRows rows;
  rows.geometry = &geometry;
  rows.weights = conv_.weights.data() + block * geometry.taps() * kTileBlock;
  rows.bias = conv_.block_bias(block);
  rows.activation = conv_.activation;
  return rows;
}

// Computes rows of a slab: one depth of one block of one image. Slabs are numbered in the order [image][block][z].
void Depthwise16::run_slab(const KernelCall& call, int64_t slab, Range range) const {
  const ConvGeometry& g = conv_.geometry;
  const int64_t depth = g.axes[0].output, plane = slab / depth;
  const int64_t at = (slab * g.axes[1].output + range.first) * g.axes[2].output * kTileBlock;
  const float* residual = residual_of(call);
  DepthwiseRows rows = rows_of(g, plane % conv_.out_blocks());
  rows.input = call.input<float>(0) + plane * g.in_spatial() * kTileBlock;
  rows.residual = residual == nullptr ? nullptr : residual + at;
  rows.output = call.output<float>(0) + at;
  rows.z = slab % depth;
  rows.first = range.first;
  rows.last = range.last;
  rows_(rows);
}

void Depthwise16::run_rows(const RowCall& call) const {
  const ConvGeometry g = geometry_of_rows(conv_.geometry, call);
  for (int64_t block = 0; block < conv_.out_blocks(); ++block) {
    DepthwiseRows rows = rows_of(g, block);
    rows.input = reinterpret_cast<const float*>(call.input + block * call.input_block_bytes);
    rows.output = reinterpret_cast<float*>(call.output + block * call.output_block_bytes);
    if (call.residual != nullptr)
      rows.residual = reinterpret_cast<const float*>(call.residual + block * call.output_block_bytes);
    rows.last = call.rows.count;
    rows_(rows);
  }
}

}  // namespace

bool accepts_conv_depthwise16(const OperatorSpec& spec) {
  const Result<ConvGeometry> g = conv_geometry(spec);
  return g && g->group == g->in_channels && g->group == g->out_channels &&
         accepts_blocked(spec, Layout::kBlocked16, Packing::kDepthwise16);
}

Result<std::unique_ptr<Kernel>> prepare_conv_depthwise16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(BlockedConv conv, make_blocked_conv(spec, Packing::kDepthwise16));
  return std::unique_ptr<Kernel>(std::make_unique<Depthwise16>(std::move(conv)));
}

}  // namespace nestrt::kernels
