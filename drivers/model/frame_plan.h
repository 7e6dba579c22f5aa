// SPDX-License-Identifier: Apache-2.0
// FramePlan: everything about converting frames of one size to one input that does not depend on their pixels.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/common/frame/frame_rows.h"
#include "nestrt/preprocessing.h"
#include "nestrt/result.h"
#include "runtime/image/image_fit.h"
#include "runtime/image/resampling.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt {

// One axis of a conversion: the positions in the input that the frame covers, and how they are computed.
struct FrameAxis {
  int offset = 0;  // in the input
  int count = 0;
  int source = 0;        // the first pixel of the frame that is needed
  int source_count = 0;  // without resampling, `count`
  // How pixels are computed, relative to `source`. If both are empty, pixels are copied. A plan uses the same method
  // for both axes.
  Resampling resampling;
  Interpolation interpolation;
};

class FramePlan {
 public:
  // Errors: kInvalidArgument if the resized frame does not cover the input, kOutOfMemory.
  static Result<FramePlan> create(ImageSize frame, ImageSize input, const Preprocessing& preprocessing, int threads);

  const FrameAxis& columns() const { return columns_; }
  const FrameAxis& rows() const { return rows_; }
  // Returns the weights of the columns as FrameRows::resample() and interpolate_columns() expect them.
  const std::vector<int32_t>& column_weights() const { return column_weights_; }
  const std::vector<int16_t>& mix_weights() const { return mix_weights_; }
  // Returns whether both axes are interpolated.
  bool interpolates() const { return !mix_weights_.empty(); }
  // Returns the number of rows in a thread's ring buffer.
  int ring_rows() const { return interpolates() ? 2 : rows_.resampling.taps; }

  // The scratch memory of one thread. Rows consist of kPixelBytes per pixel and kRowSlack additional bytes.
  struct Scratch {
    uint8_t* source;  // the pixels of a row of the frame
    uint8_t* line;    // a row of the input, filled with the padding outside of the columns
    const uint8_t** taps;
    std::byte* ring;  // the last rows that were resampled or interpolated along x
    size_t ring_row_bytes;

    template <typename T>
    T* ring_row(int64_t slot) const {
      return reinterpret_cast<T*>(ring + static_cast<size_t>(slot) * ring_row_bytes);
    }
  };
  Scratch scratch(int slot) const;
  // Returns a row of the input that shows only padding.
  const uint8_t* padding() const { return reinterpret_cast<const uint8_t*>(memory_.data()); }

 private:
  FramePlan() = default;
  Status allocate(int input_width, uint8_t pad, int threads);

  FrameAxis columns_, rows_;
  std::vector<int32_t> column_weights_;
  std::vector<int16_t> mix_weights_;
  size_t line_bytes_ = 0, source_bytes_ = 0, ring_row_bytes_ = 0, thread_bytes_ = 0;
  AlignedMemory memory_;  // the padding, then the threads' scratch memory
};

}  // namespace nestrt
