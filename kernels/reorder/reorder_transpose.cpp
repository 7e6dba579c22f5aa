// SPDX-License-Identifier: Apache-2.0
// Reorders each block of channels by transposing its matrix of lanes and pixels.
#include <algorithm>
#include <cstring>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/layout/transpose.h"
#include "kernels/common/math/integers.h"
#include "kernels/reorder/reorder.h"

namespace nestrt::kernels {
namespace {

struct Geometry {
  int64_t batch, channels, spatial, block, blocks;
  size_t element;

  // `blocked`: the layout of the blocked side.
  Geometry(const Shape& shape, Layout blocked, DataType type)
      : batch(shape[0]),
        channels(shape[1]),
        spatial(shape.product(2, shape.rank())),
        block(block_size(blocked)),
        blocks(ceil_div(channels, block)),
        element(size_bytes(type)) {}

  int64_t lanes(int64_t index) const { return std::min(block, channels - index * block); }
  // Return the byte offset of a block in a plain or blocked tensor.
  size_t plain_offset(int64_t n, int64_t index) const {
    return static_cast<size_t>((n * channels + index * block) * spatial) * element;
  }
  size_t blocked_offset(int64_t n, int64_t index) const {
    return static_cast<size_t>((n * blocks + index) * spatial * block) * element;
  }
};

// Clears the padding of pixels [first, last) of a block with only `lanes` channels.
void clear_padding(const Geometry& g, std::byte* to, int64_t lanes, int64_t first, int64_t last) {
  if (lanes == g.block) return;
  for (int64_t pixel = first; pixel < last; ++pixel)
    std::memset(to + static_cast<size_t>(pixel * g.block + lanes) * g.element, 0,
                static_cast<size_t>(g.block - lanes) * g.element);
}

// Calls body(n, block, first pixel, last pixel) in parallel. Each block is divided into runs of pixels, because an
// image with few channels has few blocks.
template <typename Body>
void for_each_run(const Geometry& g, ParallelRunner& runner, Body body) {
  constexpr int64_t kRun = 256;
  const int64_t runs = ceil_div(g.spatial, kRun);
  parallel_ranges(runner, g.batch * g.blocks * runs, std::min(kRun, g.spatial) * g.block,
                  [&](int64_t first, int64_t last) {
                    for (int64_t item = first; item < last; ++item) {
                      const int64_t block = item / runs, start = item % runs * kRun;
                      body(block / g.blocks, block % g.blocks, start, std::min(start + kRun, g.spatial));
                    }
                  });
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_reorder_to_blocked(const OperatorSpec& spec) {
  const Geometry g(spec.inputs[0].shape, spec.outputs[0].layout, spec.inputs[0].type);
  return make_kernel([g](const KernelCall& call) {
    for_each_run(g, *call.parallel, [&](int64_t n, int64_t block, int64_t first, int64_t last) {
      const int64_t lanes = g.lanes(block);
      const std::byte* from = call.inputs[0] + g.plain_offset(n, block) + static_cast<size_t>(first) * g.element;
      std::byte* to = call.outputs[0] + g.blocked_offset(n, block);
      transpose_matrix(g.element, from, g.spatial, to + static_cast<size_t>(first * g.block) * g.element, g.block,
                       lanes, last - first);
      clear_padding(g, to, lanes, first, last);
    });
  });
}

Result<std::unique_ptr<Kernel>> prepare_reorder_to_plain(const OperatorSpec& spec) {
  const Geometry g(spec.inputs[0].shape, spec.inputs[0].layout, spec.inputs[0].type);
  return make_kernel([g](const KernelCall& call) {
    for_each_run(g, *call.parallel, [&](int64_t n, int64_t block, int64_t first, int64_t last) {
      const std::byte* from = call.inputs[0] + g.blocked_offset(n, block);
      std::byte* to = call.outputs[0] + g.plain_offset(n, block) + static_cast<size_t>(first) * g.element;
      transpose_matrix(g.element, from + static_cast<size_t>(first * g.block) * g.element, g.block, to, g.spatial,
                       last - first, g.lanes(block));
    });
  });
}

}  // namespace nestrt::kernels
