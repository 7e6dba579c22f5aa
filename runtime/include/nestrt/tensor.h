// TensorView: typed, shaped memory that somebody else owns.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include "nestrt/data_type.h"
#include "nestrt/shape.h"
#include "nestrt/visibility.h"

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
struct TensorView {
  DataType type = DataType::kF32;
  Shape shape;
  void* data = nullptr;

  size_t size_bytes() const { return static_cast<size_t>(shape.num_elements()) * nestrt::size_bytes(type); }
};

struct ConstTensorView {
  DataType type = DataType::kF32;
  Shape shape;
  const void* data = nullptr;

  ConstTensorView() = default;
  ConstTensorView(DataType type_in, const Shape& shape_in, const void* data_in)
      : type(type_in), shape(shape_in), data(data_in) {}
  ConstTensorView(const TensorView& view)  // NOLINT: implicit by design
      : type(view.type), shape(view.shape), data(view.data) {}

  size_t size_bytes() const { return static_cast<size_t>(shape.num_elements()) * nestrt::size_bytes(type); }
};

// Over a span, vector or array of floats; of constant ones, the view is constant too.
template <typename Floats>
requires std::is_convertible_v<Floats, std::span<float>> TensorView tensor_view(Floats&& data, const Shape& shape) {
  return {DataType::kF32, shape, std::span<float>(data).data()};
}
inline ConstTensorView tensor_view(std::span<const float> data, const Shape& shape) {
  return {DataType::kF32, shape, data.data()};
}

}  // namespace nestrt
