// SPDX-License-Identifier: Apache-2.0
// Depthwise s8 convolution over blocked16 tensors. A task computes output rows of blocks of 16 channels.
#include <algorithm>

#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/gemm_s8/s8_tile.h"
#include "kernels/common/math/integers.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/conv_rows.h"
#include "kernels/conv/s8/conv_s8_depthwise16.h"

namespace nestrt::kernels {
namespace {

// The number of outputs computed at a time, so that their sums stay in the first-level cache.
constexpr int64_t kCallPixels = 128;

class S8Depthwise16 final : public Kernel, public WindowRows {
 public:
  S8Depthwise16(const ConvGeometry& geometry, PackedBytes weights, S8Outputs outputs)
      : WindowRows(blocked_rows(geometry, 1)),
        geometry_(geometry),
        weights_(std::move(weights)),
        outputs_(std::move(outputs)),
        function_(s8_depthwise_function()),
        function_weights_(weights_.data()),
        block_bytes_(geometry.taps() * kTileBlock) {
    const int64_t width = std::max<int64_t>(1, geometry_.axes[2].output);
    call_rows_ = std::clamp<int64_t>(kCallPixels / width, 1, std::max<int64_t>(1, geometry_.axes[1].output));
  }

  // Selects the faster function for 3 x 3 kernels if it is exact for these weights.
  void use_pairs();
  // Selects dot products of four taps. Errors: kOutOfMemory.
  Status use_dot4();

  void run(const KernelCall& call) const override;
  bool repacked() const override { return weights_.repacked(); }
  ScratchSize scratch(int) const override {
    return {0, static_cast<size_t>(call_rows_ * geometry_.axes[2].output * kTileBlock) * sizeof(int32_t)};
  }
  const RowKernel* by_rows() const override { return !outputs_.wide() && has_rows(geometry_) ? this : nullptr; }

  size_t row_scratch(int64_t) const override { return scratch(1).per_thread; }
  void run_rows(const RowCall& call) const override;

 private:
  S8DepthwiseRows rows_of(const ConvGeometry& geometry, int64_t block, int32_t* sums) const;
  void run_block(int64_t block, S8DepthwiseRows& rows, S8Finish& finish) const;
  void run_slab(const KernelCall& call, int64_t slab, Range rows, int32_t* sums) const;
  int64_t blocks() const { return ceil_div(geometry_.out_channels, kTileBlock); }

  ConvGeometry geometry_;
  PackedBytes weights_;
  AlignedArray<int8_t> dot4_weights_;
  S8Outputs outputs_;
  S8DepthwiseFunction function_;
  const int8_t* function_weights_;  // weights read by function_: weights_ or dot4_weights_
  int64_t block_bytes_;             // bytes per block of function_weights_
  int64_t call_rows_;               // maximum number of rows computed together
};

void S8Depthwise16::use_pairs() {
  const S8DepthwiseFunction pairs = s8_depthwise_pairs_function(geometry_);
  if (pairs == nullptr || outputs_.input_zero() != 0) return;
  for (int64_t block = 0; block < blocks(); ++block)
    if (s8_has_paired_minima({weights_.data() + block * block_bytes_, static_cast<size_t>(block_bytes_)}, kTileBlock))
      return;
  function_ = pairs;
}

Status S8Depthwise16::use_dot4() {
  const S8DepthwiseDot4 dot4(geometry_);
  const int64_t width = geometry_.axes[2].kernel, vector_bytes = kTileBlock * 4;
  block_bytes_ = dot4.rows * dot4.vectors * vector_bytes;
  dot4_weights_ = AlignedArray<int8_t>(blocks() * block_bytes_);
  if (dot4_weights_.data() == nullptr)
    return Status(Code::kOutOfMemory, "no memory for the weights of a depthwise Conv");
  const int32_t offset = S8DepthwiseDot4::kInputOffset + outputs_.input_zero();
  const int8_t* weight = weights_.data();
  for (int64_t row = 0; row < blocks() * dot4.rows; ++row) {
    int8_t* vectors = dot4_weights_.data() + row * dot4.vectors * vector_bytes;
    for (int64_t tap = 0; tap < width; ++tap)
      for (int64_t lane = 0; lane < kTileBlock; ++lane, ++weight) {
        vectors[tap / 4 * vector_bytes + lane * 4 + tap % 4] = *weight;
        if (dot4.pairs) vectors[vector_bytes + lane * 4 + tap + 1] = *weight;
        int32_t& start = outputs_.start(row / dot4.rows)[lane];
        start = s8::wrapping_add(start, -offset * *weight);
      }
  }
  function_ = s8_depthwise_dot4_function();
  function_weights_ = dot4_weights_.data();
  return {};
}

void S8Depthwise16::run(const KernelCall& call) const {
  const ConvGeometry& g = geometry_;
  const int64_t slabs = g.batch * blocks() * g.axes[0].output, height = g.axes[1].output;
  // Every product requires a load.
  const int64_t wanted =
      task_count(slabs * height * g.axes[2].output * kTileBlock, g.taps() * 2, call.parallel->num_threads());
  const size_t per_thread = scratch(1).per_thread;
  parallel_planes(*call.parallel, slabs, height, wanted, kMinRows, [&](int64_t slab, Range rows, int slot) {
    auto* sums = call.slot_scratch<int32_t>(slot, per_thread);
    for (int64_t row = rows.first; row < rows.last; row += call_rows_)
      run_slab(call, slab, {row, std::min(rows.last, row + call_rows_)}, sums);
  });
}

// Returns the parameters that do not depend on the rows.
S8DepthwiseRows S8Depthwise16::rows_of(const ConvGeometry& geometry, int64_t block, int32_t* sums) const {
  S8DepthwiseRows rows;
  rows.geometry = &geometry;
  rows.weights = function_weights_ + block * block_bytes_;
  rows.start = outputs_.start(block);
  rows.zero = outputs_.input_zero();
  rows.sums = sums;
  return rows;
}

// `finish` contains the addresses of the outputs.
void S8Depthwise16::run_block(int64_t block, S8DepthwiseRows& rows, S8Finish& finish) const {
  finish.sums = rows.sums;
  finish.points = rows.count * geometry_.axes[2].output;
  finish.blocks = 1;
  finish.point_stride = kTileBlock;
  outputs_.set(block, finish);
  const bool dot4 = function_weights_ == dot4_weights_.data() && S8DepthwiseDot4(geometry_).has_three_rows();
  const bool finishes = dot4 && !outputs_.wide() && finish.residual == nullptr;
  rows.finish = finishes ? &finish : nullptr;
  function_(rows);
  if (!finishes) outputs_.run(block, finish);
}

// Computes rows of a slab: one depth of one block of one image. Slabs are numbered in the order [image][block][z].
void S8Depthwise16::run_slab(const KernelCall& call, int64_t slab, Range range, int32_t* sums) const {
  const ConvGeometry& g = geometry_;
  const int64_t plane = slab / g.axes[0].output, block = plane % blocks();
  S8DepthwiseRows rows = rows_of(g, block, sums);
  rows.input = call.input<int8_t>(0) + plane * g.in_spatial() * kTileBlock;
  rows.z = slab % g.axes[0].output;
  rows.y = range.first;
  rows.count = range.size();
  S8Finish finish;
  outputs_.place(call, (slab * g.axes[1].output + range.first) * g.axes[2].output * kTileBlock, finish);
  run_block(block, rows, finish);
}

void S8Depthwise16::run_rows(const RowCall& call) const {
  const ConvGeometry g = geometry_of_rows(geometry_, call);
  const int64_t row_bytes = g.axes[2].output * kTileBlock;
  for (int64_t block = 0; block < blocks(); ++block) {
    S8DepthwiseRows rows = rows_of(g, block, reinterpret_cast<int32_t*>(call.scratch));
    rows.input = reinterpret_cast<const int8_t*>(call.input + block * call.input_block_bytes);
    for (rows.y = 0; rows.y < call.rows.count; rows.y += rows.count) {
      rows.count = std::min(call_rows_, call.rows.count - rows.y);
      S8Finish finish;
      outputs_.place(call.output, reinterpret_cast<const int8_t*>(call.residual),
                     block * call.output_block_bytes + rows.y * row_bytes, finish);
      run_block(block, rows, finish);
    }
  }
}

Result<std::unique_ptr<S8Depthwise16>> make_depthwise(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry g, conv_geometry(spec));
  NESTRT_ASSIGN_OR_RETURN(const s8::Epilogue epilogue, s8::conv_epilogue(spec));
  NESTRT_ASSIGN_OR_RETURN(PackedBytes weights, PackedBytes::make(spec.inputs[1], Packing::kS8Depthwise16));
  NESTRT_ASSIGN_OR_RETURN(S8Outputs outputs, S8Outputs::make(g.out_channels, s8_bias(spec), epilogue));
  return std::make_unique<S8Depthwise16>(g, std::move(weights), std::move(outputs));
}

}  // namespace

bool accepts_conv_s8_depthwise16(const OperatorSpec& spec) {
  const Result<ConvGeometry> g = conv_geometry(spec);
  return g && g->group == g->in_channels && g->group == g->out_channels &&
         accepts_s8_blocked(spec, Layout::kBlocked16, Packing::kS8Depthwise16);
}

Result<std::unique_ptr<Kernel>> prepare_conv_s8_depthwise16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(std::unique_ptr<S8Depthwise16> kernel, make_depthwise(spec));
  kernel->use_pairs();
  return std::unique_ptr<Kernel>(std::move(kernel));
}

bool accepts_conv_s8_depthwise16_dot4(const OperatorSpec& spec) {
  if (!accepts_conv_s8_depthwise16(spec)) return false;
  const ConvGeometry g = *conv_geometry(spec);
  return g.axes[2].dilation == 1 && g.axes[0].kernel * g.axes[1].kernel <= S8DepthwiseDot4::kMaxRows;
}

Result<std::unique_ptr<Kernel>> prepare_conv_s8_depthwise16_dot4(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(std::unique_ptr<S8Depthwise16> kernel, make_depthwise(spec));
  NESTRT_RETURN_IF_ERROR(kernel->use_dot4());
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace nestrt::kernels
