// SPDX-License-Identifier: Apache-2.0
// Converts a tensor in blocks of channels, or folded, to and from row-major order.
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
  ReorderedPort(DataType type, const Shape& shape, Layout layout);

  void to_plain(const std::byte* stored, std::byte* plain) const;
  // Fills the rest of the last block with 0, because kernels may read it. Does not support folded images.
  void from_plain(const std::byte* plain, std::byte* stored) const;

 private:
  template <typename Element>
  void copy_to_plain(const Element* stored, Element* plain) const;
  template <typename Element>
  void copy_from_plain(const Element* plain, Element* stored) const;

  int64_t element_bytes_, images_, channels_, stored_channels_, pixels_;
  StoredOrder order_;
};

}  // namespace nestrt::vendor
