// SPDX-License-Identifier: Apache-2.0
// Depthwise transposed convolution over blocked16 tensors. A task computes output rows of blocks of 16 channels, phase
// by phase.
#include "kernels/conv_transpose/conv_transpose_depthwise16.h"

#include <utility>

#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/gemm_f32/tile16.h"
#include "kernels/common/math/integers.h"
#include "kernels/conv_transpose/blocked.h"
#include "kernels/conv_transpose/conv_transpose.h"

namespace nestrt::kernels {
namespace {

class Depthwise16 final : public Kernel {
 public:
  explicit Depthwise16(BlockedTranspose conv) : conv_(std::move(conv)), row_(transposed_row_function()) {}

  void run(const KernelCall& call) const override;
  ScratchSize scratch(int) const override { return {0, 2 * max_lines() * sizeof(const float*)}; }

 private:
  size_t max_lines() const {
    return static_cast<size_t>(conv_.geometry.axes[0].kernel * conv_.geometry.axes[1].kernel);
  }
  void run_rows(const KernelCall& call, int64_t plane, Range rows, const float** lines) const;
  void run_row(const KernelCall& call, int64_t plane, int64_t z, int64_t y, const BlockedPhase& phase,
               const float** lines) const;

  BlockedTranspose conv_;
  TransposedRowFunction row_;
};

void Depthwise16::run(const KernelCall& call) const {
  const ConvGeometry& g = conv_.geometry;
  conv_.fill_gaps(call);
  if (conv_.phases.empty()) return;
  const int64_t planes = g.batch * ceil_div(g.out_channels, kTileBlock), rows = conv_.max_outputs(1);
  // Every product requires a load.
  const int64_t wanted = task_count(planes * g.in_spatial() * kTileBlock, g.taps() * 2, call.parallel->num_threads());
  const size_t slot_bytes = scratch(1).per_thread;
  parallel_planes(*call.parallel, planes, rows, wanted, kMinRows, [&](int64_t plane, Range part, int slot) {
    run_rows(call, plane, part, call.slot_scratch<const float*>(slot, slot_bytes));
  });
}

// Computes a range of rows of each phase, for one block of an image.
void Depthwise16::run_rows(const KernelCall& call, int64_t plane, Range rows, const float** lines) const {
  for (int64_t z = 0; z < conv_.max_outputs(0); ++z)
    for (int64_t y = rows.first; y < rows.last; ++y)
      for (const BlockedPhase& phase : conv_.phases)
        if (z < phase.axes[0].outputs && y < phase.axes[1].outputs) run_row(call, plane, z, y, phase, lines);
}

void Depthwise16::run_row(const KernelCall& call, int64_t plane, int64_t z, int64_t y, const BlockedPhase& phase,
                          const float** lines) const {
  const ConvGeometry& g = conv_.geometry;
  const auto& [d, h, w] = phase.axes;
  const int64_t block = plane % ceil_div(g.out_channels, kTileBlock);
  const float** const weights = lines + max_lines();
  TransposedRow row;
  for (int64_t kd = 0; kd < d.taps.taps; ++kd)
    for (int64_t kh = 0; kh < h.taps.taps; ++kh) {
      const int64_t iz = d.taps.source(z, kd), iy = h.taps.source(y, kh);
      if (iz < 0 || iz >= g.axes[0].input || iy < 0 || iy >= g.axes[1].input) continue;
      lines[row.num_lines] =
          call.input<float>(0) + (plane * g.in_spatial() + (iz * g.axes[1].input + iy) * g.axes[2].input) * kTileBlock;
      weights[row.num_lines++] =
          phase.weights + (block * phase.taps() + (kd * h.taps.taps + kh) * w.taps.taps) * kTileBlock;
    }
  const int64_t line = (z * g.axes[0].stride + d.phase) * g.axes[1].output + y * g.axes[1].stride + h.phase;
  const int64_t at = (plane * g.out_spatial() + line * g.axes[2].output + w.phase) * kTileBlock;
  row.lines = lines;
  row.weights = weights;
  row.width = g.axes[2].input;
  row.taps = w.taps;
  row.outputs = w.outputs;
  if (conv_.bias.data() != nullptr) row.bias = conv_.bias.data() + block * kTileBlock;
  if (call.inputs.size() > 3 && call.inputs[3] != nullptr) row.residual = call.input<float>(3) + at;
  row.output = call.output<float>(0) + at;
  row.step = g.axes[2].stride * kTileBlock;
  row.activation = conv_.activation;
  row_(row);
}

}  // namespace

bool accepts_conv_transpose_depthwise16(const OperatorSpec& spec) {
  if (!accepts_blocked_transpose(spec)) return false;
  const Result<ConvGeometry> g = conv_transpose_geometry(spec);
  return g && g->group > 1 && g->group == g->in_channels && g->group == g->out_channels;
}

Result<std::unique_ptr<Kernel>> prepare_conv_transpose_depthwise16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(BlockedTranspose conv, make_blocked_transpose(spec));
  return std::unique_ptr<Kernel>(std::make_unique<Depthwise16>(std::move(conv)));
}

}  // namespace nestrt::kernels
