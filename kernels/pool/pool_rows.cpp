// SPDX-License-Identifier: Apache-2.0
#include "kernels/pool/pool_rows.h"

#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/math/integers.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kBlock = 16;

RowGeometry row_geometry(const Shape& input, const PoolParameters& pool, int64_t element_bytes) {
  const auto& [d, h, w] = pool.axes;
  const int64_t blocks = ceil_div(input[1], kBlock), pixel_bytes = kBlock * element_bytes;
  return {{input[0], blocks, d.input * h.input, w.input * pixel_bytes},
          {input[0], blocks, d.output * h.output, w.output * pixel_bytes},
          h.kernel,
          h.stride,
          h.dilation,
          h.pad_begin};
}

}  // namespace

PoolRows::PoolRows(const Shape& input, const PoolParameters& pool, int64_t element_bytes)
    : WindowRows(row_geometry(input, pool, element_bytes)), pool_(pool) {}

void PoolRows::run(const KernelCall& call) const {
  const PoolAxis &depth = pool_.axes[0], &height = pool_.axes[1], &width = pool_.axes[2];
  const RowImages input = row_input(), output = row_output();
  const int64_t row_work = width.output * kBlock * depth.kernel * height.kernel * width.kernel;
  const int64_t planes = output.images * output.blocks;
  parallel_planes(*call.parallel, planes, output.rows, range_count(*call.parallel, planes * output.rows * row_work),
                  kMinRows, [&](int64_t plane, Range rows, int) {
                    for (int64_t row = rows.first; row < rows.last; ++row)
                      run_row(call.input<std::byte>(0) + plane * input.block_bytes(), depth.window(row / height.output),
                              height.window(row % height.output),
                              call.output<std::byte>(0) + (plane * output.rows + row) * output.row_bytes);
                  });
}

// Returns a row kernel for images only, not for inputs with a depth axis.
const RowKernel* PoolRows::by_rows() const {
  const PoolAxis& depth = pool_.axes[0];
  return depth.input == 1 && depth.output == 1 && depth.kernel == 1 ? this : nullptr;
}

// Processes consecutive rows of a block, because their windows share most of their inputs.
void PoolRows::run_rows(const RowCall& call) const {
  const PoolWindow depth = pool_.axes[0].window(0);
  const RowImages output = row_output();
  for (int64_t block = 0; block < output.blocks; ++block)
    for (int64_t i = 0; i < call.rows.count; ++i) {
      PoolWindow height = pool_.axes[1].window(call.rows.first + i);
      if (height.count > 0) height.first -= call.input_rows.first;
      run_row(call.input + block * call.input_block_bytes, depth, height,
              call.output + block * call.output_block_bytes + i * output.row_bytes);
    }
}

}  // namespace nestrt::kernels
