// SPDX-License-Identifier: Apache-2.0
// IndexSet: a set of elements of an on-chip memory, stored as bits. Computes the elements that a loop accesses without
// iterating over its steps, in time logarithmic in the trip counts and linear in the number of micro-ops.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace nestrt::evta {

class IndexSet {
 public:
  static constexpr size_t kCapacity = 16384;  // elements of the deepest memory

  void add(size_t element) {
    words_[element / kBits] |= uint64_t{1} << element % kBits;
    used_ = std::max(used_, element / kBits + 1);
  }
  void add_range(size_t begin, size_t end);
  void remove_range(size_t begin, size_t end);
  // Adds the elements of `other`, shifted up by `shift`. All must stay below kCapacity.
  void add_shifted(const IndexSet& other, size_t shift);
  void add(const IndexSet& other) { add_shifted(other, 0); }
  // Replaces every element e with e + i * factor_out + k * factor_in for i < iter_out, k < iter_in. The largest must be
  // below kCapacity.
  void spread(uint32_t iter_out, uint32_t factor_out, uint32_t iter_in, uint32_t factor_in);
  void remove(const IndexSet& other);

  // Returns the lowest element for which is_it(element) is true, or kCapacity.
  template <typename IsIt>
  size_t find(IsIt is_it) const {
    for (size_t i = 0; i < used_; ++i)
      for (uint64_t left = words_[i]; left != 0; left &= left - 1) {
        const size_t element = i * kBits + static_cast<size_t>(std::countr_zero(left));
        if (is_it(element)) return element;
      }
    return kCapacity;
  }
  size_t size() const;
  bool has(size_t element) const {
    return element / kBits < used_ && (words_[element / kBits] >> element % kBits & 1u) != 0;
  }
  // Returns the first element that is not in `other`, or kCapacity.
  size_t first_outside(const IndexSet& other) const;

 private:
  static constexpr size_t kBits = 64;
  static constexpr size_t kWords = kCapacity / kBits;

  void extend(uint32_t count, uint32_t factor);

  std::array<uint64_t, kWords> words_ = {};
  size_t used_ = 0;  // words that may be nonzero
};

}  // namespace nestrt::evta
