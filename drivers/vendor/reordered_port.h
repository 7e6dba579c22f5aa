// SPDX-License-Identifier: Apache-2.0
// Converts a tensor between the plan's layout (any Layout) and a plug-in's layout (row-major or channels last).
#pragma once

#include <cstddef>
#include <cstdint>

#include "nestrt/data_type.h"
#include "nestrt/shape.h"
#include "runtime/core/channel_blocks.h"

namespace nestrt::vendor {

class ReorderedPort {
 public:
  // Requires: the preconditions of StoredOrder.
  ReorderedPort(DataType type, const Shape& shape, Layout layout, bool has_channels_last = false);

  void to_plugin(const std::byte* stored, std::byte* plugin) const;
  // Fills the rest of the last block with 0, because kernels may read it. Does not support folded images.
  void from_plugin(const std::byte* plugin, std::byte* stored) const;

 private:
  template <typename Element>
  void copy_to_plugin(const Element* stored, Element* plugin) const;
  template <typename Element>
  void copy_from_plugin(const Element* plugin, Element* stored) const;
  // Returns the position in the plug-in's layout, counted in elements.
  int64_t plugin_index(int64_t image, int64_t channel, int64_t pixel) const {
    return image * channels_ * pixels_ + channel * channel_stride_ + pixel * pixel_stride_;
  }

  int64_t element_bytes_, images_, channels_, stored_channels_, pixels_, channel_stride_, pixel_stride_;
  StoredOrder order_;
};

}  // namespace nestrt::vendor
