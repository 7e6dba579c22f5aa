// TensorView: typed, shaped memory that somebody else owns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "nestrt/data_type.h"
#include "nestrt/driver/visibility.h"
#include "nestrt/shape.h"

namespace NESTRT_PUBLIC nestrt {

// What a caller needs to know of an input or output of a plan. Always dense and row-major.
struct TensorInfo {
  std::string name;
  DataType type = DataType::kF32;
  Shape shape;

  size_t size_bytes() const { return static_cast<size_t>(shape.num_elements()) * nestrt::size_bytes(type); }
};

// A dense, row-major tensor. Does not own `data`; the owner must outlive the view.
// No alignment beyond that of the element is required; 64 bytes is fastest.
// `capacity`: bytes from data on that are the view's to use, where that is known: a call refuses fewer than the shape
// takes.
struct TensorView {
  DataType type = DataType::kF32;
  Shape shape;
  void* data = nullptr;
  size_t capacity = SIZE_MAX;

  size_t size_bytes() const { return static_cast<size_t>(shape.num_elements()) * nestrt::size_bytes(type); }
};

struct ConstTensorView {
  DataType type = DataType::kF32;
  Shape shape;
  const void* data = nullptr;
  size_t capacity = SIZE_MAX;

  ConstTensorView() = default;
  ConstTensorView(DataType type_in, const Shape& shape_in, const void* data_in, size_t capacity_in = SIZE_MAX)
      : type(type_in), shape(shape_in), data(data_in), capacity(capacity_in) {}
  ConstTensorView(const TensorView& view)  // NOLINT: implicit by design
      : type(view.type), shape(view.shape), data(view.data), capacity(view.capacity) {}

  size_t size_bytes() const { return static_cast<size_t>(shape.num_elements()) * nestrt::size_bytes(type); }
};

// Over a span, vector or array of floats; of constant ones, the view is constant too. Memory that is shorter than the
// shape is found by the call that the view is given to.
template <typename Floats>
requires std::is_convertible_v<Floats, std::span<float>> TensorView tensor_view(Floats&& data, const Shape& shape) {
  const std::span<float> floats(data);
  return {DataType::kF32, shape, floats.data(), floats.size_bytes()};
}
inline ConstTensorView tensor_view(std::span<const float> data, const Shape& shape) {
  return {DataType::kF32, shape, data.data(), data.size_bytes()};
}

}  // namespace nestrt
