// SPDX-License-Identifier: Apache-2.0
// Tensors as callers pass them: TensorView and ConstTensorView refer to typed, shaped memory owned by the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <type_traits>

#include "nestrt/data_type.h"
#include "nestrt/shape.h"
#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

// The name, type and shape of an input or output of a plan. Always dense and row-major.
struct TensorInfo {
  std::string name;
  DataType type = DataType::kF32;
  Shape shape;

  size_t size_bytes() const { return static_cast<size_t>(shape.num_elements()) * nestrt::size_bytes(type); }
};

// The DataType of a C++ element type: data_type_of<float> is kF32.
template <typename T>
inline constexpr DataType data_type_of = static_cast<DataType>(0xff);
template <>
inline constexpr DataType data_type_of<float> = DataType::kF32;
template <>
inline constexpr DataType data_type_of<int8_t> = DataType::kS8;
template <>
inline constexpr DataType data_type_of<uint8_t> = DataType::kU8;
template <>
inline constexpr DataType data_type_of<int32_t> = DataType::kS32;
template <>
inline constexpr DataType data_type_of<int64_t> = DataType::kS64;
template <>
inline constexpr DataType data_type_of<bool> = DataType::kBool;

template <typename T>
concept TensorElement = data_type_of<std::remove_const_t<T>>
<= DataType::kBool;

// Arrays, vectors and spans of elements.
template <typename Range>
concept TensorData = requires(Range& range) {
  std::span(range);
  requires TensorElement<typename decltype(std::span(range))::element_type>;
};

// A dense, row-major tensor.
//
// Ownership: the view does not own `data`, which must outlive it.
// Alignment: at least that of the element type; 64 bytes is fastest.
// Bounds: `capacity` is the number of usable bytes at `data`, if known. Calls reject a capacity below size_bytes().
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

  // Returns the elements. Aborts if T is not the element type.
  template <TensorElement T>
  std::span<const T> values() const {
    if (type != data_type_of<T>) std::abort();
    return {static_cast<const T*>(data), static_cast<size_t>(shape.num_elements())};
  }
};

// Returns a view of an array, vector or span of any element type; a ConstTensorView if the elements are constant. The
// function that receives the view checks that the memory is large enough for the shape.
template <TensorData Range>
auto tensor_view(Range&& data, const Shape& shape) {
  const std::span elements(data);
  using Element = typename decltype(elements)::element_type;
  using View = std::conditional_t<std::is_const_v<Element>, ConstTensorView, TensorView>;
  return View{data_type_of<std::remove_const_t<Element>>, shape, elements.data(), elements.size_bytes()};
}

}  // namespace nestrt
