// Depthwise convolution over blocked16 tensors: a task takes rows of outputs of blocks of 16 channels.
#include <algorithm>

#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/conv_depthwise16.h"

namespace nestrt::kernels {
namespace {

#if defined(__aarch64__)
constexpr int64_t kLeastRows = 1 << 20;  // never: the cores of boards share the cache that would hold them
#else
constexpr int64_t kLeastRows = 7;
#endif

class Depthwise16 final : public Kernel {
 public:
  explicit Depthwise16(BlockedConv conv) : conv_(std::move(conv)), rows_(depthwise_function()) {}
  void run(const KernelCall& call) const override;
  bool repacked() const override { return conv_.weights.repacked(); }

 private:
  void run_rows(const KernelCall& call, int64_t slab, Range rows) const;

  BlockedConv conv_;
  DepthwiseFunction rows_;
};

// Tasks take some rows of all blocks, as convolutions before and after that are cut along their pixels; or all rows of
// some blocks where a task's share of rows would be small.
void Depthwise16::run(const KernelCall& call) const {
  const ConvGeometry& g = conv_.geometry;
  const int64_t slabs = g.batch * conv_.out_blocks() * g.axes[0].output, height = g.axes[1].output;
  // A vector of sums costs little: one load per product.
  const int64_t wanted =
      task_count(slabs * height * g.axes[2].output * kTileBlock, g.taps() * 2, call.parallel->num_threads());
  const int64_t row_parts =
      std::min({std::max({int64_t{1}, height / kLeastRows, ceil_div(wanted, slabs)}), wanted, height});
  const int64_t slab_parts = std::min(slabs, ceil_div(wanted, row_parts));
  call.parallel->parallel_for(row_parts * slab_parts, [&](int64_t index, int) {
    const Range part = part_of(slabs, index % slab_parts, slab_parts);
    for (int64_t slab = part.first; slab < part.last; ++slab)
      run_rows(call, slab, part_of(height, index / slab_parts, row_parts));
  });
}

// A slab is one depth of one block of one image, counted through [image][block][z].
void Depthwise16::run_rows(const KernelCall& call, int64_t slab, Range range) const {
  const ConvGeometry& g = conv_.geometry;
  const int64_t depth = g.axes[0].output, plane = slab / depth, block = plane % conv_.out_blocks();
  const int64_t at = (slab * g.axes[1].output + range.first) * g.axes[2].output * kTileBlock;
  const float* residual = residual_of(call);
  DepthwiseRows rows;
  rows.geometry = &g;
  rows.input = call.input<float>(0) + plane * g.in_spatial() * kTileBlock;
  rows.weights = conv_.weights.data() + block * g.taps() * kTileBlock;
  rows.bias = conv_.block_bias(block);
  rows.residual = residual == nullptr ? nullptr : residual + at;
  rows.output = call.output<float>(0) + at;
  rows.z = slab % depth;
  rows.first = range.first;
  rows.last = range.last;
  rows.activation = conv_.activation;
  rows_(rows);
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
