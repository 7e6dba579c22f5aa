// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <iterator>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/math/integers.h"
#include "kernels/pool/pool_rows.h"
#include "kernels/pool/pool_simd.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kBlock = 16;

bool has_reduction(const OperatorSpec& spec) {
  const ops::Pool& pool = *spec.as<ops::Pool>();
  return spec.inputs[0].type == DataType::kF32 && (pool.kind != ops::PoolKind::kLp || pool.p <= 2);
}

// Requires: has_reduction().
PoolReduction reduction_of(const OperatorSpec& spec) {
  const ops::Pool& pool = *spec.as<ops::Pool>();
  if (pool.kind == ops::PoolKind::kMax) return PoolReduction::kMax;
  if (pool.kind == ops::PoolKind::kAverage) return PoolReduction::kAverage;
  return pool.p == 1 ? PoolReduction::kL1 : PoolReduction::kL2;
}

Result<std::unique_ptr<Kernel>> prepare_global_blocked16(const OperatorSpec& spec) {
  const Shape shape = spec.inputs[0].shape;
  const PoolReduction reduction = reduction_of(spec);
  const int64_t pixels = shape.product(2, shape.rank()), channels = shape[1], blocks = ceil_div(channels, kBlock);
  const int64_t to_block = block_size(spec.outputs[0].layout), batch_stride = round_up(channels, to_block);
  return make_kernel([=](const KernelCall& call) {
    parallel_ranges(*call.parallel, shape[0] * blocks, pixels * kBlock, [&](int64_t first, int64_t last) {
      for (int64_t item = first; item < last; ++item) {
        const int64_t channel = item % blocks * kBlock;
        float result[kBlock];
        pool_block16(reduction, call.input<float>(0) + item * pixels * kBlock, pixels, result);
        std::memcpy(call.output<float>(0) + item / blocks * batch_stride + channel, result,
                    static_cast<size_t>(std::min(kBlock, channels - channel)) * sizeof(float));
      }
    });
  });
}

Result<std::unique_ptr<Kernel>> prepare_global_plain(const OperatorSpec& spec) {
  const Shape shape = spec.inputs[0].shape;
  const PoolReduction reduction = reduction_of(spec);
  const int64_t pixels = shape.product(2, shape.rank()), channels = shape[1];
  const int64_t to_block = block_size(spec.outputs[0].layout), batch_stride = round_up(channels, to_block);
  return make_kernel([=](const KernelCall& call) {
    parallel_ranges(*call.parallel, shape[0] * channels, pixels, [&](int64_t first, int64_t last) {
      for (int64_t item = first; item < last; ++item)
        call.output<float>(0)[item / channels * batch_stride + item % channels] =
            pool_plane(reduction, call.input<float>(0) + item * pixels, pixels);
    });
  });
}

class PoolRowsF32 final : public PoolRows {
 public:
  explicit PoolRowsF32(const OperatorSpec& spec)
      : PoolRows(spec.inputs[0].shape, pool_parameters(spec), sizeof(float)), reduction_(reduction_of(spec)) {}

 private:
  void run_row(const std::byte* block, const PoolWindow& depth, const PoolWindow& height,
               std::byte* to) const override {
    pool_row16(reduction_, pool(), reinterpret_cast<const float*>(block), depth, height, reinterpret_cast<float*>(to));
  }

  PoolReduction reduction_;
};

}  // namespace

bool accepts_pool_blocked16(const OperatorSpec& spec) {
  return has_reduction(spec) && spec.inputs[0].layout == Layout::kBlocked16 &&
         spec.outputs[0].layout == Layout::kBlocked16;
}

Result<std::unique_ptr<Kernel>> prepare_pool_blocked16(const OperatorSpec& spec) {
  return std::unique_ptr<Kernel>(std::make_unique<PoolRowsF32>(spec));
}

bool accepts_pool_global(const OperatorSpec& spec) {
  const TensorSpec &input = spec.inputs[0], &output = spec.outputs[0];
  if (!has_reduction(spec) || input.packing != Packing::kNone || input.layout == Layout::kBlocked32) return false;
  // The window must cover the whole input: it is as large as the input, there is no padding, and the output is one
  // pixel.
  const PoolParameters pool = pool_parameters(spec);
  return output.shape.product(2, output.shape.rank()) == 1 &&
         std::all_of(std::begin(pool.axes), std::end(pool.axes), [](const PoolAxis& axis) {
           return axis.kernel == axis.input && axis.dilation == 1 && axis.pad_begin == 0 && axis.pad_end == 0;
         });
}

Result<std::unique_ptr<Kernel>> prepare_pool_global(const OperatorSpec& spec) {
  return spec.inputs[0].layout == Layout::kBlocked16 ? prepare_global_blocked16(spec) : prepare_global_plain(spec);
}

}  // namespace nestrt::kernels
