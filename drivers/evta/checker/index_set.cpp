// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/checker/index_set.h"

#include <algorithm>
#include <bit>

namespace nestrt::evta {
namespace {

// Returns the bits of word `word` in [begin, end).
uint64_t mask_of(size_t word, size_t begin, size_t end) {
  const size_t first = word * 64;
  if (end <= first || begin >= first + 64) return 0;
  const size_t low = std::max(begin, first) - first, high = std::min(end, first + 64) - first;
  return (~uint64_t{0} >> (64 - (high - low))) << low;
}

}  // namespace

void IndexSet::spread(uint32_t iter_out, uint32_t factor_out, uint32_t iter_in, uint32_t factor_in) {
  extend(iter_in, factor_in);
  extend(iter_out, factor_out);
}

// Becomes the union of `count` copies, each shifted by `factor` relative to the previous one. Doubles the number of
// copies per iteration.
void IndexSet::extend(uint32_t count, uint32_t factor) {
  if (factor == 0) return;
  for (uint32_t have = 1; have < count;) {
    const uint32_t more = std::min(have, count - have);
    const IndexSet copy = *this;
    add_shifted(copy, size_t{more} * factor);
    have += more;
  }
}

void IndexSet::add_range(size_t begin, size_t end) {
  if (begin >= end) return;
  const size_t last = std::min((end - 1) / kBits + 1, kWords);
  for (size_t i = begin / kBits; i < last; ++i) words_[i] |= mask_of(i, begin, end);
  used_ = std::max(used_, last);
}

void IndexSet::remove_range(size_t begin, size_t end) {
  for (size_t i = begin / kBits; i < used_; ++i) words_[i] &= ~mask_of(i, begin, end);
}

void IndexSet::add_shifted(const IndexSet& other, size_t shift) {
  const size_t words = shift / kBits, bits = shift % kBits;
  for (size_t i = 0; i < other.used_; ++i) {
    if (i + words < kWords) words_[i + words] |= other.words_[i] << bits;
    if (bits > 0 && i + words + 1 < kWords) words_[i + words + 1] |= other.words_[i] >> (kBits - bits);
  }
  used_ = std::max(used_, std::min(other.used_ + words + 1, kWords));
}

size_t IndexSet::size() const {
  size_t elements = 0;
  for (size_t i = 0; i < used_; ++i) elements += static_cast<size_t>(std::popcount(words_[i]));
  return elements;
}

void IndexSet::remove(const IndexSet& other) {
  for (size_t i = 0; i < std::min(used_, other.used_); ++i) words_[i] &= ~other.words_[i];
}

size_t IndexSet::first_outside(const IndexSet& other) const {
  for (size_t i = 0; i < used_; ++i) {
    const uint64_t outside = words_[i] & ~other.words_[i];
    if (outside != 0) return i * kBits + static_cast<size_t>(std::countr_zero(outside));
  }
  return kCapacity;
}

}  // namespace nestrt::evta
