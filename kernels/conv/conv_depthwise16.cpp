// Depthwise convolution over blocked16 tensors: a task takes rows of outputs of blocks of 16 channels.
#include <algorithm>

#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/conv_depthwise16.h"

namespace nestrt::kernels {
namespace {

class Depthwise16 final : public Kernel {
 public:
  explicit Depthwise16(BlockedConv conv) : conv_(std::move(conv)), row_(depthwise_row_function()) {}
  void run(const KernelCall& call) const override;
  bool repacked() const override { return conv_.weights.repacked(); }

 private:
  void run_row(const KernelCall& call, int64_t index) const;

  BlockedConv conv_;
  DepthwiseRowFunction row_;
};

void Depthwise16::run(const KernelCall& call) const {
  const ConvGeometry& g = conv_.geometry;
  const int64_t rows = g.batch * conv_.out_blocks() * g.axes[0].output * g.axes[1].output;
  // A vector of sums costs little: one load per product.
  const int64_t parts =
      std::min(rows, task_count(rows * g.axes[2].output * kTileBlock, g.taps() * 2, call.parallel->num_threads()));
  call.parallel->parallel_for(parts, [&](int64_t index, int) {
    const Range part = part_of(rows, index, parts);
    for (int64_t row = part.first; row < part.last; ++row) run_row(call, row);
  });
}

// Rows are counted through [image][block][z][y].
void Depthwise16::run_row(const KernelCall& call, int64_t index) const {
  const ConvGeometry& g = conv_.geometry;
  const int64_t height = g.axes[1].output, depth = g.axes[0].output;
  const int64_t plane = index / (depth * height), block = plane % conv_.out_blocks();
  const int64_t at = index * g.axes[2].output * kTileBlock;
  const float* residual = residual_of(call);
  DepthwiseRow row;
  row.geometry = &g;
  row.input = call.input<float>(0) + plane * g.in_spatial() * kTileBlock;
  row.weights = conv_.weights.data() + block * g.taps() * kTileBlock;
  row.bias = conv_.block_bias(block);
  row.residual = residual == nullptr ? nullptr : residual + at;
  row.output = call.output<float>(0) + at;
  row.z = index / height % depth;
  row.y = index % height;
  row.activation = conv_.activation;
  row_(row);
}

}  // namespace

bool accepts_conv_depthwise16(const OperatorSpec& spec) {
  const Result<ConvGeometry> g = conv_geometry(spec);
  return g && g->group == g->in_channels && g->group == g->out_channels &&
         accepts_blocked(spec, Layout::kBlocked16, plan::Packing::depthwise16);
}

Result<std::unique_ptr<Kernel>> prepare_conv_depthwise16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(BlockedConv conv, make_blocked_conv(spec, plan::Packing::depthwise16));
  return std::unique_ptr<Kernel>(std::make_unique<Depthwise16>(std::move(conv)));
}

}  // namespace nestrt::kernels
