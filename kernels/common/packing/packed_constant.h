// SPDX-License-Identifier: Apache-2.0
// Constants in the form that kernels require: copies aligned to 64 bytes, and packed weights. Weights that the plan
// already contains in the requested packing are used in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// Zero-initialized numbers aligned to 64 bytes. data() is null if allocation failed.
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

// Packed weights. T is float or int8_t, the element type of the packing.
template <typename T>
class PackedArray {
 public:
  PackedArray() = default;
  explicit PackedArray(AlignedArray<T> packed) : copy_(std::move(packed)) {}
  // Returns the elements of `constant` in `packing`. `constant` must outlive the result. Requires: the elements have
  // type T, and constant.constant is set. Errors: kInvalidPlan if the packing does not fit the shape or its padding is
  // not zero; kOutOfMemory.
  static Result<PackedArray> make(const TensorSpec& constant, Packing packing);

  const T* data() const { return in_place_ != nullptr ? in_place_ : copy_.data(); }
  bool repacked() const { return in_place_ == nullptr; }

 private:
  const T* in_place_ = nullptr;
  AlignedArray<T> copy_;
};
using PackedConstant = PackedArray<float>;
using PackedBytes = PackedArray<int8_t>;

// Returns the bias, padded with zeros to a multiple of 16, or null if the operator has no bias. Requires: the bias is
// f32 and constant. Errors: kOutOfMemory.
Result<AlignedFloats> padded_bias(const OperatorSpec& spec, size_t input);

}  // namespace nestrt::kernels
