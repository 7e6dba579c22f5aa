// SPDX-License-Identifier: Apache-2.0
// TensorSet: tensors that own their memory, for the inputs or outputs of a plan. Aligned to 64 bytes. Move-only.
#pragma once

#include <span>
#include <vector>

#include "nestrt/result.h"
#include "nestrt/tensor.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt {

class TensorSet {
 public:
  // Creates uninitialised tensors. Errors: kOutOfMemory.
  static Result<TensorSet> create(std::span<const TensorInfo> infos);
  // Creates tensors of pseudo-random values that are the same on every call: f32 in [-1, 1], integers 0 or 1, which are
  // valid for every operator, including as indices. Errors: kOutOfMemory.
  static Result<TensorSet> random(std::span<const TensorInfo> infos);

  std::span<const TensorView> views() const { return views_; }
  std::vector<ConstTensorView> const_views() const { return {views_.begin(), views_.end()}; }

 private:
  std::vector<AlignedMemory> memory_;
  std::vector<TensorView> views_;
};

}  // namespace nestrt
