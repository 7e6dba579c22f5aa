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

ReorderedPort::ReorderedPort(DataType type, const Shape& shape, Layout layout, bool has_channels_last)
    : element_bytes_(size_bytes(type)),
      images_(shape[0]),
      channels_(shape[1]),
      stored_channels_(stored_blocks(shape, layout).blocks() * block_size(layout)),
      pixels_(shape.product(2, shape.rank())),
      channel_stride_(has_channels_last ? 1 : pixels_),
      pixel_stride_(has_channels_last ? channels_ : 1),
      order_(shape, layout) {}

template <typename Element>
void ReorderedPort::copy_to_plugin(const Element* stored, Element* plugin) const {
  for (int64_t image = 0; image < images_; ++image)
    for (int64_t channel = 0; channel < channels_; ++channel)
      for (int64_t pixel = 0; pixel < pixels_; ++pixel)
        plugin[plugin_index(image, channel, pixel)] = stored[order_.index(image, channel, pixel)];
}

template <typename Element>
void ReorderedPort::copy_from_plugin(const Element* plugin, Element* stored) const {
  for (int64_t image = 0; image < images_; ++image)
    for (int64_t channel = 0; channel < stored_channels_; ++channel)
      for (int64_t pixel = 0; pixel < pixels_; ++pixel)
        stored[order_.index(image, channel, pixel)] =
            channel < channels_ ? plugin[plugin_index(image, channel, pixel)] : Element{0};
}

void ReorderedPort::to_plugin(const std::byte* stored, std::byte* plugin) const {
  with_element_of(element_bytes_, [&]<typename Element>(Element) {
    copy_to_plugin(reinterpret_cast<const Element*>(stored), reinterpret_cast<Element*>(plugin));
  });
}

void ReorderedPort::from_plugin(const std::byte* plugin, std::byte* stored) const {
  with_element_of(element_bytes_, [&]<typename Element>(Element) {
    copy_from_plugin(reinterpret_cast<const Element*>(plugin), reinterpret_cast<Element*>(stored));
  });
}

}  // namespace nestrt::vendor
