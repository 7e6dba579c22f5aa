// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/reordered_port.h"

namespace nestrt::vendor {
namespace {

// Copies elements as integers of the same size.
template <typename Visit>
void with_element_of(int64_t bytes, Visit visit) {
  if (bytes == 1) return visit(uint8_t());
  if (bytes == 4) return visit(uint32_t());
  visit(uint64_t());
}

}  // namespace

ReorderedPort::ReorderedPort(DataType type, const Shape& shape, Layout layout)
    : element_bytes_(size_bytes(type)),
      images_(shape[0]),
      channels_(shape[1]),
      stored_channels_(stored_blocks(shape, layout).blocks() * block_size(layout)),
      pixels_(shape.product(2, shape.rank())),
      order_(shape, layout) {}

template <typename Element>
void ReorderedPort::copy_to_plain(const Element* stored, Element* plain) const {
  for (int64_t image = 0; image < images_; ++image)
    for (int64_t channel = 0; channel < channels_; ++channel)
      for (int64_t pixel = 0; pixel < pixels_; ++pixel) *plain++ = stored[order_.index(image, channel, pixel)];
}

template <typename Element>
void ReorderedPort::copy_from_plain(const Element* plain, Element* stored) const {
  for (int64_t image = 0; image < images_; ++image)
    for (int64_t channel = 0; channel < stored_channels_; ++channel)
      for (int64_t pixel = 0; pixel < pixels_; ++pixel)
        stored[order_.index(image, channel, pixel)] = channel < channels_ ? *plain++ : Element{0};
}

void ReorderedPort::to_plain(const std::byte* stored, std::byte* plain) const {
  with_element_of(element_bytes_, [&]<typename Element>(Element) {
    copy_to_plain(reinterpret_cast<const Element*>(stored), reinterpret_cast<Element*>(plain));
  });
}

void ReorderedPort::from_plain(const std::byte* plain, std::byte* stored) const {
  with_element_of(element_bytes_, [&]<typename Element>(Element) {
    copy_from_plain(reinterpret_cast<const Element*>(plain), reinterpret_cast<Element*>(stored));
  });
}

}  // namespace nestrt::vendor
