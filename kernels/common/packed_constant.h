// Constants as kernels want them: 64-byte aligned copies, and weights in a wanted packing, which are used in place
// where the plan already has them so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "nestrt/kernel.h"

namespace nestrt::kernels {

// Zeroed floats aligned to 64 bytes. Empty where memory ran out.
class AlignedFloats {
 public:
  AlignedFloats() = default;
  explicit AlignedFloats(int64_t count);
  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(float* data) const { ::operator delete[](data, std::align_val_t{64}); }
  };
  std::unique_ptr<float[], Free> data_;
};

class PackedConstant {
 public:
  PackedConstant() = default;
  // The elements of `constant`, which must outlive the result, in `packing`. Requires: f32, constant.constant set.
  // Errors: kInvalidPlan where a packing does not fit the shape, kOutOfMemory.
  static Result<PackedConstant> make(const TensorSpec& constant, plan::Packing packing);

  const float* data() const { return in_place_ != nullptr ? in_place_ : copy_.data(); }
  bool repacked() const { return in_place_ == nullptr; }

 private:
  const float* in_place_ = nullptr;
  AlignedFloats copy_;
};

// A bias followed by zeros up to a multiple of 16; null where the operator has none. Requires: f32 and constant.
// Errors: kOutOfMemory.
Result<AlignedFloats> padded_bias(const OperatorSpec& spec, size_t input);

}  // namespace nestrt::kernels
