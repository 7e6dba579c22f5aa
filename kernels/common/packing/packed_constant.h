// Constants as kernels want them: 64-byte aligned copies, and weights in a wanted packing, which are used in place
// where the plan already has them so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "nestrt/driver/kernel.h"

namespace nestrt::kernels {

// Zeroed numbers aligned to 64 bytes. Empty where memory ran out.
template <typename T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(int64_t count)
      : data_(new (std::align_val_t{64}, std::nothrow) T[static_cast<size_t>(count < 1 ? 1 : count)]()) {}
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(T* data) const { ::operator delete[](data, std::align_val_t{64}); }
  };
  std::unique_ptr<T[], Free> data_;
};
using AlignedFloats = AlignedArray<float>;

// T is float or int8_t, the type of the packings that it is used with.
template <typename T>
class PackedArray {
 public:
  PackedArray() = default;
  explicit PackedArray(AlignedArray<T> packed) : copy_(std::move(packed)) {}
  // The elements of `constant`, which must outlive the result, in `packing`. Requires: elements of type T,
  // constant.constant set. Errors: kInvalidPlan where a packing does not fit the shape or its padding is not zero,
  // kOutOfMemory.
  static Result<PackedArray> make(const TensorSpec& constant, Packing packing);

  const T* data() const { return in_place_ != nullptr ? in_place_ : copy_.data(); }
  bool repacked() const { return in_place_ == nullptr; }

 private:
  const T* in_place_ = nullptr;
  AlignedArray<T> copy_;
};
using PackedConstant = PackedArray<float>;
using PackedBytes = PackedArray<int8_t>;

// A bias followed by zeros up to a multiple of 16; null where the operator has none. Requires: f32 and constant.
// Errors: kOutOfMemory.
Result<AlignedFloats> padded_bias(const OperatorSpec& spec, size_t input);

}  // namespace nestrt::kernels
