// SPDX-License-Identifier: Apache-2.0
// Nearest-neighbour interpolation along any axes: copies rows of pixels by index. A pixel is one element or, in a
// blocked layout, its block of 16 or 32 channels.
#include <cstring>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/math/integers.h"
#include "kernels/resize/resize.h"

namespace nestrt::kernels {
namespace {

// One axis as stored: the lengths of input and output in pixels, and the taps.
struct StoredAxis {
  int64_t input, output;
  ResizeAxis axis;

  int64_t source(int64_t position) const {
    return axis.copied() ? position : axis.indices[static_cast<size_t>(position)];
  }
};

std::vector<StoredAxis> stored_axes(const OperatorSpec& spec) {
  const int64_t block = block_size(spec.inputs[0].layout);
  std::vector<StoredAxis> stored;
  for (ResizeAxis& axis : resize_axes(spec)) {
    const int64_t width = stored.size() == 1 ? block : 1;  // channels count in blocks
    stored.push_back({ceil_div(axis.input, width), ceil_div(axis.output, width), std::move(axis)});
  }
  return stored;
}

// Returns the input row for an output row.
int64_t source_row(const std::vector<StoredAxis>& axes, int64_t row) {
  int64_t source = 0, stride = 1;
  for (size_t i = axes.size() - 1; i-- > 0;) {
    source += axes[i].source(row % axes[i].output) * stride;
    stride *= axes[i].input;
    row /= axes[i].output;
  }
  return source;
}

template <size_t kPixel>
void pick(const std::byte* from, std::byte* to, const std::vector<int32_t>& indices) {
  for (size_t i = 0; i < indices.size(); ++i)
    std::memcpy(to + i * kPixel, from + static_cast<size_t>(indices[i]) * kPixel, kPixel);
}

void pick_pixels(size_t pixel_bytes, const std::byte* from, std::byte* to, const std::vector<int32_t>& indices) {
  switch (pixel_bytes) {
    case 1:
      return pick<1>(from, to, indices);
    case 4:
      return pick<4>(from, to, indices);
    case 8:
      return pick<8>(from, to, indices);
    case 16:
      return pick<16>(from, to, indices);
    case 32:
      return pick<32>(from, to, indices);
    case 64:
      return pick<64>(from, to, indices);
    case 128:
      return pick<128>(from, to, indices);
    default:
      return pick<256>(from, to, indices);
  }
}

}  // namespace

bool accepts_resize_nearest(const OperatorSpec& spec) {
  const TensorSpec &input = spec.inputs[0], &output = spec.outputs[0];
  const ops::Resize& resize = *spec.as<ops::Resize>();
  if (resize.mode != ops::ResizeMode::kNearest || input.layout != output.layout || input.shape.rank() == 0 ||
      input.packing != Packing::kNone || resize.coordinate == ops::CoordinateMode::kTfCropAndResize ||
      output.shape.num_elements() == 0)
    return false;
  return input.layout == Layout::kPlain || (input.shape.rank() > 2 && resize_copies_channels(spec));
}

Result<std::unique_ptr<Kernel>> prepare_resize_nearest(const OperatorSpec& spec) {
  const TensorSpec& input = spec.inputs[0];
  const size_t pixel = size_bytes(input.type) * static_cast<size_t>(block_size(input.layout));
  std::vector<StoredAxis> axes = stored_axes(spec);
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < axes.size(); ++i) rows *= axes[i].output;
  return make_kernel([pixel, rows, axes = std::move(axes)](const KernelCall& call) {
    const StoredAxis& last = axes.back();
    const size_t from_row = static_cast<size_t>(last.input) * pixel, to_row = static_cast<size_t>(last.output) * pixel;
    parallel_ranges(*call.parallel, rows, last.output, [&](int64_t first, int64_t end) {
      for (int64_t row = first; row < end; ++row) {
        const std::byte* from = call.inputs[0] + static_cast<size_t>(source_row(axes, row)) * from_row;
        std::byte* to = call.outputs[0] + static_cast<size_t>(row) * to_row;
        if (last.axis.copied()) {
          std::memcpy(to, from, to_row);
        } else {
          pick_pixels(pixel, from, to, last.axis.indices);
        }
      }
    });
  });
}

}  // namespace nestrt::kernels
