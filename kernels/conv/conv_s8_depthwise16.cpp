// Depthwise s8 convolution over blocked16 tensors: a task takes rows of outputs of blocks of 16 channels.
#include <algorithm>

#include "kernels/common/integers.h"
#include "kernels/common/s8_tile.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/conv_s8_depthwise16.h"

namespace nestrt::kernels {
namespace {

// Outputs computed at a time: their sums stay in the first-level cache.
constexpr int64_t kCallPixels = 128;

class S8Depthwise16 final : public Kernel {
 public:
  S8Depthwise16(const ConvGeometry& geometry, S8DepthwiseProduct product)
      : geometry_(geometry), product_(std::move(product)) {
    const int64_t width = std::max<int64_t>(1, geometry_.axes[2].output);
    call_rows_ = std::clamp<int64_t>(kCallPixels / width, 1, std::max<int64_t>(1, geometry_.axes[1].output));
  }

  void run(const KernelCall& call) const override;
  bool repacked() const override { return product_.repacked(); }
  ScratchSize scratch(int) const override {
    return {0, static_cast<size_t>(call_rows_ * geometry_.axes[2].output * kTileBlock) * sizeof(int32_t)};
  }

 private:
  void run_rows(const KernelCall& call, Range rows, int32_t* sums) const;
  int64_t blocks() const { return ceil_div(geometry_.out_channels, kTileBlock); }

  ConvGeometry geometry_;
  S8DepthwiseProduct product_;
  int64_t call_rows_;  // computed at a time, at most
};

// Rows are counted through [image][block][z][y].
void S8Depthwise16::run(const KernelCall& call) const {
  const ConvGeometry& g = geometry_;
  const int64_t height = g.axes[1].output, rows = g.batch * blocks() * g.axes[0].output * height;
  // A vector of sums costs little: one load per product.
  const int64_t parts =
      std::min(rows, task_count(rows * g.axes[2].output * kTileBlock, g.taps() * 2, call.parallel->num_threads()));
  const size_t per_thread = scratch(1).per_thread;
  call.parallel->parallel_for(parts, [&](int64_t index, int slot) {
    auto* sums = call.slot_scratch<int32_t>(slot, per_thread);
    const Range part = part_of(rows, index, parts);
    for (int64_t row = part.first; row < part.last;) {
      const int64_t slab_end = (row / height + 1) * height;
      const Range next{row, std::min({part.last, slab_end, row + call_rows_})};
      run_rows(call, next, sums);
      row = next.last;
    }
  });
}

// Requires: they are in one slab.
void S8Depthwise16::run_rows(const KernelCall& call, Range range, int32_t* sums) const {
  const ConvGeometry& g = geometry_;
  const int64_t slab = range.first / g.axes[1].output, plane = slab / g.axes[0].output, block = plane % blocks();
  S8DepthwiseRows rows;
  rows.geometry = &g;
  rows.input = call.input<int8_t>(0) + plane * g.in_spatial() * kTileBlock;
  rows.z = slab % g.axes[0].output;
  rows.y = range.first % g.axes[1].output;
  rows.count = range.size();
  rows.sums = sums;
  S8Finish finish;
  product_.outputs().place(call, range.first * g.axes[2].output * kTileBlock, finish);
  product_.run(block, rows, finish);
}

}  // namespace

Result<S8DepthwiseProduct> S8DepthwiseProduct::make(const OperatorSpec& spec, const ConvGeometry& geometry) {
  S8DepthwiseProduct product;
  NESTRT_ASSIGN_OR_RETURN(const s8::Epilogue epilogue, s8::conv_epilogue(spec));
  NESTRT_ASSIGN_OR_RETURN(product.weights_, PackedBytes::make(spec.inputs[1], Packing::kS8Depthwise16));
  NESTRT_ASSIGN_OR_RETURN(product.outputs_, S8Outputs::make(geometry.out_channels, s8_bias(spec), epilogue));
  product.function_ = s8_depthwise_function();
  product.function_weights_ = product.weights_.data();
  product.block_bytes_ = geometry.taps() * kTileBlock;
  product.blocks_ = ceil_div(geometry.out_channels, kTileBlock);
  return product;
}

void S8DepthwiseProduct::use_pairs(const ConvGeometry& geometry) {
  const S8DepthwiseFunction pairs = s8_depthwise_pairs_function(geometry);
  if (pairs == nullptr || outputs_.input_zero() != 0) return;
  for (int64_t block = 0; block < blocks_; ++block)
    if (s8_lowest_meet({weights_.data() + block * block_bytes_, static_cast<size_t>(block_bytes_)}, kTileBlock)) return;
  function_ = pairs;
}

Status S8DepthwiseProduct::use_dot4(const ConvGeometry& geometry) {
  const S8DepthwiseDot4 dot4(geometry);
  const int64_t width = geometry.axes[2].kernel, vector_bytes = kTileBlock * 4;
  block_bytes_ = dot4.rows * dot4.vectors * vector_bytes;
  dot4_weights_ = AlignedArray<int8_t>(blocks_ * block_bytes_);
  if (dot4_weights_.data() == nullptr)
    return Status(Code::kOutOfMemory, "no memory for the weights of a depthwise Conv");
  const int8_t* weight = weights_.data();
  for (int64_t row = 0; row < blocks_ * dot4.rows; ++row) {
    int8_t* vectors = dot4_weights_.data() + row * dot4.vectors * vector_bytes;
    for (int64_t tap = 0; tap < width; ++tap)
      for (int64_t lane = 0; lane < kTileBlock; ++lane, ++weight) {
        vectors[tap / 4 * vector_bytes + lane * 4 + tap % 4] = *weight;
        if (dot4.pairs) vectors[vector_bytes + lane * 4 + tap + 1] = *weight;
        int32_t& start = outputs_.start(row / dot4.rows)[lane];
        start = s8::wrapping_add(start, -S8DepthwiseDot4::kInputOffset * *weight);
      }
  }
  function_ = s8_depthwise_dot4_function();
  function_weights_ = dot4_weights_.data();
  return {};
}

void S8DepthwiseProduct::run(int64_t block, S8DepthwiseRows& rows, S8Finish& finish) const {
  rows.weights = function_weights_ + block * block_bytes_;
  rows.start = outputs_.start(block);
  rows.zero = outputs_.input_zero();
  function_(rows);
  finish.sums = rows.sums;
  finish.points = rows.count * rows.geometry->axes[2].output;
  finish.blocks = 1;
  finish.point_stride = kTileBlock;
  outputs_.run(block, finish);
}

bool accepts_conv_s8_depthwise16(const OperatorSpec& spec) {
  const Result<ConvGeometry> g = conv_geometry(spec);
  return g && g->group == g->in_channels && g->group == g->out_channels &&
         accepts_s8_blocked(spec, Layout::kBlocked16, Packing::kS8Depthwise16);
}

Result<std::unique_ptr<Kernel>> prepare_conv_s8_depthwise16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry g, conv_geometry(spec));
  NESTRT_ASSIGN_OR_RETURN(S8DepthwiseProduct product, S8DepthwiseProduct::make(spec, g));
  product.use_pairs(g);
  return std::unique_ptr<Kernel>(std::make_unique<S8Depthwise16>(g, std::move(product)));
}

bool accepts_conv_s8_depthwise16_dot4(const OperatorSpec& spec) {
  if (!accepts_conv_s8_depthwise16(spec)) return false;
  const Result<s8::Epilogue> epilogue = s8::conv_epilogue(spec);
  if (!epilogue || epilogue->input_zero != 0) return false;
  const ConvGeometry g = *conv_geometry(spec);
  return g.axes[2].dilation == 1 && g.axes[0].kernel * g.axes[1].kernel <= S8DepthwiseDot4::kMaxRows;
}

Result<std::unique_ptr<Kernel>> prepare_conv_s8_depthwise16_dot4(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry g, conv_geometry(spec));
  NESTRT_ASSIGN_OR_RETURN(S8DepthwiseProduct product, S8DepthwiseProduct::make(spec, g));
  NESTRT_RETURN_IF_ERROR(product.use_dot4(g));
  return std::unique_ptr<Kernel>(std::make_unique<S8Depthwise16>(g, std::move(product)));
}

}  // namespace nestrt::kernels
