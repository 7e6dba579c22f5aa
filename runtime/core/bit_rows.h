// SPDX-License-Identifier: Apache-2.0
// BitRows: one set of numbers below a limit per row, stored as bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nestrt {

class BitRows {
 public:
  using Row = std::span<const uint64_t>;

  BitRows(size_t rows, size_t bits, bool full = false)
      : words_((bits + 63) / 64), storage_(rows * words_, full ? ~uint64_t{0} : 0) {}

  Row row(size_t index) const { return std::span(storage_).subspan(index * words_, words_); }
  bool contains(size_t index, uint32_t bit) const { return (row(index)[bit / 64] >> (bit % 64) & 1) != 0; }

  void add(size_t index, uint32_t bit) { words_of(index)[bit / 64] |= uint64_t{1} << (bit % 64); }
  // Requires: `other` has the same number of bits.
  void unite(size_t index, Row other) {
    for (size_t i = 0; i < words_; ++i) words_of(index)[i] |= other[i];
  }
  void intersect(size_t index, Row other) {
    for (size_t i = 0; i < words_; ++i) words_of(index)[i] &= other[i];
  }

 private:
  std::span<uint64_t> words_of(size_t index) { return std::span(storage_).subspan(index * words_, words_); }

  size_t words_;
  std::vector<uint64_t> storage_;
};

inline bool is_subset(BitRows::Row set, BitRows::Row of) {
  for (size_t i = 0; i < set.size(); ++i)
    if ((set[i] & ~of[i]) != 0) return false;
  return true;
}

}  // namespace nestrt
