// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/graph/packed_bits.h"

#include <algorithm>

namespace nestrt::compiler {
namespace {

constexpr int64_t kColumns = 16;  // of a panel

int64_t panels_of(const BitMatrix& matrix) { return (matrix.columns + kColumns - 1) / kColumns; }

Bytes packed_weights(const BitMatrix& m) {
  const int64_t per_byte = 8 / m.bits, block_bytes = m.block / per_byte * kColumns;
  Bytes packed(static_cast<size_t>(panels_of(m) * m.blocks() * block_bytes));
  for (int64_t k = 0; k < m.inner; ++k)
    for (int64_t n = 0; n < m.columns; ++n) {
      const int64_t block = n / kColumns * m.blocks() + k / m.block, within = k % m.block;
      const int64_t at = block * block_bytes + within / per_byte * kColumns + n % kColumns;
      const int shift = static_cast<int>(within % per_byte) * m.bits;
      const uint8_t q = m.integers[static_cast<size_t>(k * m.columns + n)];
      packed[static_cast<size_t>(at)] |= static_cast<std::byte>(q << shift);
    }
  return packed;
}

// Returns numbers [blocks][columns] as [panels][blocks][16].
template <typename T>
std::vector<T> by_panel(const BitMatrix& m, const std::vector<float>& numbers) {
  std::vector<T> result(static_cast<size_t>(panels_of(m) * m.blocks() * kColumns));
  for (int64_t block = 0; block < m.blocks(); ++block)
    for (int64_t n = 0; n < m.columns; ++n)
      result[static_cast<size_t>((n / kColumns * m.blocks() + block) * kColumns + n % kColumns)] =
          static_cast<T>(numbers[static_cast<size_t>(block * m.columns + n)]);
  return result;
}

}  // namespace

PackedBits pack_bits(const BitMatrix& m) {
  PackedBits packed;
  packed.weights_shape = {panels_of(m), m.blocks(), m.block * m.bits / 8, kColumns};
  packed.weights = packed_weights(m);
  packed.by_block = {panels_of(m), m.blocks(), kColumns};
  packed.scales = to_bytes(by_panel<float>(m, m.scales));
  const auto middle = static_cast<float>(1 << (m.bits - 1));
  if (std::all_of(m.zero_points.begin(), m.zero_points.end(), [&](float zero) { return zero == middle; }))
    return packed;
  packed.zero_type = m.has_integer_zeros ? DataType::kU8 : DataType::kF32;
  packed.zero_points =
      m.has_integer_zeros ? to_bytes(by_panel<uint8_t>(m, m.zero_points)) : to_bytes(by_panel<float>(m, m.zero_points));
  return packed;
}

}  // namespace nestrt::compiler
