// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/layout/image_fold.h"

#include <algorithm>
#include <cstring>

#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/split.h"
#include "kernels/common/math/integers.h"
#include "runtime/core/channel_blocks.h"

namespace nestrt::kernels {

bool ImageFold::accepts(const TensorSpec& output) {
  return output.type == DataType::kS8 && output.shape.rank() == 4 && output.shape[1] <= kMaxFoldedChannels &&
         output.shape.num_elements() > 0 && block_size(output.layout) == kFoldedBlock &&
         output.packing == Packing::kNone;
}

ImageFold::ImageFold(const TensorSpec& output) : shape_(output.shape), fold_(s8_fold_function()) {
  const ChannelBlocks blocks = stored_blocks(shape_, output.layout);
  row_.channels = shape_[1];
  row_.fold = fold_of(output.layout);
  row_.columns = ceil_div(shape_[3], row_.fold);
  row_.block_stride = blocks.pixels * kFoldedBlock;
  folded_rows_ = ceil_div(shape_[2], row_.fold);
  image_bytes_ = blocks.blocks() * row_.block_stride;
}

void ImageFold::run(const KernelCall& call, FillRow fill_row) const {
  constexpr int64_t kPartsPerThread = 4;
  const int64_t items = shape_[0] * folded_rows_;
  const int64_t tasks = std::max<int64_t>(1, shape_.num_elements() / kTaskElements);
  const int64_t parts = std::min({items, tasks, int64_t{call.parallel->num_threads()} * kPartsPerThread});
  const size_t per_thread = scratch().per_thread;
  call.parallel->parallel_for(parts, [&](int64_t part, int slot) {
    auto* const rows = call.slot_scratch<int8_t>(slot, per_thread);
    const Range range = part_of(items, part, parts);
    for (int64_t item = range.first; item < range.last; ++item) {
      const int64_t image = item / folded_rows_, folded_row = item % folded_rows_;
      fill_rows(image, folded_row, fill_row, rows);
      fold_(row_, rows, call.output<int8_t>(0) + image * image_bytes_ + folded_row * row_.columns * kFoldedBlock);
    }
  });
}

// Fills the plain rows of one row of folded pixels, [fold][channels][plain_columns], with zeros beyond the image.
void ImageFold::fill_rows(int64_t image, int64_t folded_row, FillRow fill_row, int8_t* to) const {
  const int64_t first = folded_row * row_.fold, stride = row_.plain_columns();
  for (int64_t y = first; y < first + row_.fold; ++y)
    for (int64_t channel = 0; channel < row_.channels; ++channel, to += stride) {
      const int64_t width = y < shape_[2] ? shape_[3] : 0;
      if (width > 0) fill_row((image * row_.channels + channel) * shape_[2] + y, to);
      std::memset(to + width, 0, static_cast<size_t>(stride - width));
    }
}

}  // namespace nestrt::kernels
