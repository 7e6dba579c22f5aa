// A tensor that lies in blocks of channels, or folded, for those who know row-major tensors only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nestrt/data_type.h"
#include "nestrt/shape.h"
#include "runtime/core/channel_blocks.h"

namespace nestrt::vendor {

class ReorderedPort {
 public:
  // Requires: as StoredOrder.
  ReorderedPort(DataType type, const Shape& shape, Layout layout);

  void to_plain(const std::byte* stored, std::byte* plain) const;
  // What fills the last block is 0: kernels may look at it. Requires: no folded image.
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
