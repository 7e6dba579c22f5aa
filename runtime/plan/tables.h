// Reading FlatBuffers tables: an empty vector or string may be absent from the file, which makes its accessor null.
#pragma once

#include <string_view>

#include "nestrt/plan_generated.h"
#include "nestrt/shape.h"

namespace nestrt {

// The vector, or an empty one in place of null.
template <typename T>
const flatbuffers::Vector<T>& items(const flatbuffers::Vector<T>* vector) {
  alignas(8) static const flatbuffers::uoffset_t kEmpty[4] = {};
  return vector != nullptr ? *vector : *reinterpret_cast<const flatbuffers::Vector<T>*>(kEmpty);
}

inline std::string_view view(const flatbuffers::String* string) {
  return string != nullptr ? std::string_view(string->data(), string->size()) : std::string_view();
}

// The FlatBuffers verifier aligns vectors to 4 bytes only, which is not enough for elements of 8.
template <typename T>
bool is_aligned(const flatbuffers::Vector<T>* vector) {
  return vector == nullptr || reinterpret_cast<uintptr_t>(vector->Data()) % alignof(T) == 0;
}

// Requires: a verified plan.
inline Shape shape_of(const plan::Tensor& tensor) {
  Shape shape;
  for (int64_t dim : items(tensor.shape())) shape.push_back(dim);
  return shape;
}

}  // namespace nestrt
