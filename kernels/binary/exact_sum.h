// SPDX-License-Identifier: Apache-2.0
// Fast forms of s8c::add_exactly(): factors in fixed point for which all pairs of elements provably have the same
// result, or a table of all results. Almost all scales have such factors.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kernels/common/quantization/s8c_operands.h"

namespace nestrt::kernels {

// Returns factors for the sum of two elements, or nullopt if the search finds none.
std::optional<s8c::AddFactors> find_exact_factors(const s8c::BinaryFactors& binary);

// The results of a Binary for all pairs of elements.
class PairTable {
 public:
  explicit PairTable(const s8c::BinaryFactors& binary);

  // Looks up `count` results. An operand with step 0 repeats its first 16 elements.
  void look_up(const int8_t* a, int64_t step_a, const int8_t* b, int64_t step_b, int8_t* y, int64_t count) const;

 private:
  std::vector<int8_t> results_;
};

// Sets the factors of an exact sum. Returns a table if no factors give exact results, otherwise nullptr. Other
// operators need neither.
std::shared_ptr<const PairTable> prepare_exact_sum(s8c::BinaryFactors& binary);

}  // namespace nestrt::kernels
