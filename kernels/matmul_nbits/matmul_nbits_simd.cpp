// SPDX-License-Identifier: Apache-2.0
// Products of few rows. For each block of weights, adds x * q with the integers q as stored; then y += scale * (sum -
// zero point * sum of x).
#include <algorithm>
#include <array>

#include "kernels/matmul_nbits/matmul_nbits.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matmul_nbits/matmul_nbits_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kColumns = 16;  // of a panel
using DF = hn::CappedTag<float, kColumns>;
using DU = hn::RebindToUnsigned<DF>;
using D8 = hn::Rebind<uint8_t, DF>;
using VF = hn::Vec<DF>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(DF()));
constexpr int kVectors = static_cast<int>(kColumns) / kLanes;  // in a panel
constexpr int kSums = 2;                                       // independent sums per vector of columns

// Returns the number of panels computed together: enough independent sums to hide the latency of a multiplication, as
// far as the registers allow.
constexpr int panels_for(int rows) { return rows == 1 && kLanes > 4 ? kLanes / 4 : 1; }

#define NESTRT_UNROLL _Pragma("GCC unroll 16")

// Returns weight `kIndex` of the byte in each lane, as a float.
template <int kBits, int kIndex>
HWY_INLINE VF weight_of(hn::Vec<DU> bytes) {
  hn::Vec<DU> q = bytes;
  if constexpr (kIndex > 0) q = hn::ShiftRight<kIndex * kBits>(q);
  if constexpr ((kIndex + 1) * kBits < 8) q = hn::And(q, hn::Set(DU(), (1U << kBits) - 1));
  return hn::ConvertTo(DF(), hn::BitCast(hn::RebindToSigned<DF>(), q));
}

HWY_INLINE hn::Vec<DU> load_bytes(const uint8_t* from) { return hn::PromoteTo(DU(), hn::LoadU(D8(), from)); }

HWY_INLINE VF load_zeros(const NBitsProduct& p, int64_t at) {
  if (p.zeros == NBitsZeros::kF32) return hn::LoadU(DF(), reinterpret_cast<const float*>(p.zero_points) + at);
  if (p.zeros == NBitsZeros::kMiddle) return hn::Set(DF(), static_cast<float>(1 << (p.bits - 1)));
  const auto bytes = load_bytes(reinterpret_cast<const uint8_t*>(p.zero_points) + at);
  return hn::ConvertTo(DF(), hn::BitCast(hn::RebindToSigned<DF>(), bytes));
}

template <int kRows, int kPanels>
struct BlockSums {
  HWY_INLINE BlockSums() {
    NESTRT_UNROLL for (auto& row : at) {
      NESTRT_UNROLL for (auto& panel : row) {
        NESTRT_UNROLL for (auto& vector : panel) { NESTRT_UNROLL for (VF& sum : vector) sum = hn::Zero(DF()); }
      }
    }
  }
  VF at[kRows][kPanels][kVectors][kSums];
};

// Adds the products of all weights packed in one byte of each column. `kStep`: the index of the byte, which selects the
// sums.
template <int kBits, int kRows, int kPanels, int kStep, int kIndex = 0>
HWY_INLINE void add_weights(const hn::Vec<DU> (&bytes)[kPanels][kVectors], const float* const (&x)[kRows],
                            BlockSums<kRows, kPanels>& sums) {
  if constexpr (kIndex < 8 / kBits) {
    VF factors[kRows];
    NESTRT_UNROLL for (int r = 0; r < kRows; ++r) factors[r] = hn::Set(DF(), x[r][kIndex]);
    NESTRT_UNROLL for (int panel = 0; panel < kPanels; ++panel) {
      NESTRT_UNROLL for (int v = 0; v < kVectors; ++v) {
        const VF w = weight_of<kBits, kIndex>(bytes[panel][v]);
        NESTRT_UNROLL for (int r = 0; r < kRows; ++r) {
          VF& sum = sums.at[r][panel][v][(kStep + kIndex) % kSums];
          sum = hn::MulAdd(w, factors[r], sum);
        }
      }
    }
    add_weights<kBits, kRows, kPanels, kStep, kIndex + 1>(bytes, x, sums);
  }
}

template <int kBits, int kRows, int kPanels, int kStep>
HWY_INLINE void add_bytes(const uint8_t* weights, int64_t panel_stride, const float* const (&x)[kRows],
                          BlockSums<kRows, kPanels>& sums) {
  hn::Vec<DU> bytes[kPanels][kVectors];
  NESTRT_UNROLL for (int panel = 0; panel < kPanels; ++panel) {
    NESTRT_UNROLL for (int v = 0; v < kVectors; ++v) bytes[panel][v] =
        load_bytes(weights + panel * panel_stride + v * kLanes);
  }
  add_weights<kBits, kRows, kPanels, kStep>(bytes, x, sums);
}

// Adds the products of the weights [0, count) of a block.
template <int kBits, int kRows, int kPanels>
HWY_INLINE void add_block(const uint8_t* weights, int64_t panel_stride, int64_t count, const float* const (&row)[kRows],
                          BlockSums<kRows, kPanels>& sums) {
  constexpr int64_t kPerByte = 8 / kBits;
  const float* x[kRows];
  NESTRT_UNROLL for (int r = 0; r < kRows; ++r) x[r] = row[r];
  const auto advance = [&]() HWY_ATTR {
    weights += kColumns;
    NESTRT_UNROLL for (int r = 0; r < kRows; ++r) x[r] += kPerByte;
  };
  int64_t k = 0;
  for (; k + 2 * kPerByte <= count; k += 2 * kPerByte) {
    add_bytes<kBits, kRows, kPanels, 0>(weights, panel_stride, x, sums);
    advance();
    add_bytes<kBits, kRows, kPanels, 1>(weights, panel_stride, x, sums);
    advance();
  }
  for (; k < count; k += kPerByte) {
    float rest[kRows][kPerByte] = {};
    const float* last[kRows];
    for (int r = 0; r < kRows; ++r) {
      std::copy_n(x[r], std::min(kPerByte, count - k), rest[r]);
      last[r] = rest[r];
    }
    add_bytes<kBits, kRows, kPanels, 0>(weights, panel_stride, last, sums);
    advance();
  }
}

template <int kRows, int kPanels>
HWY_INLINE void store_panels(const NBitsProduct& p, int64_t panel, const VF (&y)[kRows][kPanels][kVectors]) {
  for (int r = 0; r < kRows; ++r)
    for (int i = 0; i < kPanels; ++i) {
      const int64_t column = (panel + i) * kColumns, columns = std::min(kColumns, p.columns - column);
      float whole[kColumns];
      for (int v = 0; v < kVectors; ++v) {
        VF sum = y[r][i][v];
        if (p.bias != nullptr) sum = hn::Add(sum, hn::LoadU(DF(), p.bias + column + v * kLanes));
        hn::StoreU(sum, DF(), whole + v * kLanes);
      }
      std::copy_n(whole, columns, p.y + r * p.columns + column);
    }
}

// Multiplies all rows with kPanels panels.
template <int kBits, int kRows, int kPanels>
HWY_NOINLINE void multiply_panels(const NBitsProduct& p, int64_t panel) {
  const DF d;
  VF y[kRows][kPanels][kVectors];
  for (auto& row : y)
    for (auto& columns : row)
      for (VF& sum : columns) sum = hn::Zero(d);
  const int64_t blocks = p.blocks(), panel_stride = blocks * p.block_bytes();
  for (int64_t block = 0; block < blocks; ++block) {
    const float* x[kRows];
    for (int r = 0; r < kRows; ++r) x[r] = p.x + r * p.inner + block * p.block;
    BlockSums<kRows, kPanels> sums;
    add_block<kBits, kRows, kPanels>(p.weights + panel * panel_stride + block * p.block_bytes(), panel_stride,
                                     std::min(p.block, p.inner - block * p.block), x, sums);
    NESTRT_UNROLL for (int i = 0; i < kPanels; ++i) {
      NESTRT_UNROLL for (int v = 0; v < kVectors; ++v) {
        const int64_t at = ((panel + i) * blocks + block) * kColumns + v * kLanes;
        const VF scale = hn::LoadU(d, p.scales + at), zero = load_zeros(p, at);
        NESTRT_UNROLL for (int r = 0; r < kRows; ++r) {
          const VF sum = hn::Add(sums.at[r][i][v][0], sums.at[r][i][v][1]);
          const VF offset = hn::Set(d, p.block_sums[r * blocks + block]);
          y[r][i][v] = hn::MulAdd(scale, hn::NegMulAdd(zero, offset, sum), y[r][i][v]);
        }
      }
    }
  }
  store_panels<kRows, kPanels>(p, panel, y);
}

template <int kBits, int kRows>
void multiply_rows(const NBitsProduct& p, Range panels) {
  constexpr int kPanels = panels_for(kRows);
  int64_t panel = panels.first;
  for (; panel + kPanels <= panels.last; panel += kPanels) multiply_panels<kBits, kRows, kPanels>(p, panel);
  for (; panel < panels.last; ++panel) multiply_panels<kBits, kRows, 1>(p, panel);
}

template <int kBits>
void multiply_bits(const NBitsProduct& p, Range panels) {
  if (p.rows == 1) return multiply_rows<kBits, 1>(p, panels);
  if (p.rows == 2) return multiply_rows<kBits, 2>(p, panels);
  multiply_rows<kBits, 3>(p, panels);
}

// Dequantizes the weights packed in one byte of each column, at most `count` weights per column.
template <int kBits, int kIndex = 0>
HWY_INLINE void unpack_byte(hn::Vec<DU> bytes, VF scale, VF zero, int64_t count, float* to) {
  if constexpr (kIndex < 8 / kBits) {
    if (kIndex >= count) return;
    const VF weight = hn::Mul(hn::Sub(weight_of<kBits, kIndex>(bytes), zero), scale);
    hn::StoreU(weight, DF(), to + kIndex * kColumns);
    unpack_byte<kBits, kIndex + 1>(bytes, scale, zero, count, to);
  }
}

template <int kBits>
void unpack_bits(const NBitsProduct& p, int64_t panel, float* to) {
  constexpr int64_t kPerByte = 8 / kBits;
  for (int64_t block = 0; block < p.blocks(); ++block) {
    const int64_t panel_block = panel * p.blocks() + block, first = block * p.block;
    const int64_t count = std::min(p.block, p.inner - first);
    for (int v = 0; v < kVectors; ++v) {
      const int64_t at = panel_block * kColumns + v * kLanes;
      const VF scale = hn::LoadU(DF(), p.scales + at), zero = load_zeros(p, at);
      const uint8_t* weights = p.weights + panel_block * p.block_bytes() + v * kLanes;
      float* lanes = to + first * kColumns + v * kLanes;
      for (int64_t k = 0; k < count; k += kPerByte, weights += kColumns, lanes += kPerByte * kColumns)
        unpack_byte<kBits>(load_bytes(weights), scale, zero, count - k, lanes);
    }
  }
}

}  // namespace

void multiply_nbits(const NBitsProduct& product, Range panels) {
  if (product.bits == 2) return multiply_bits<2>(product, panels);
  if (product.bits == 4) return multiply_bits<4>(product, panels);
  multiply_bits<8>(product, panels);
}

void unpack_nbits(const NBitsProduct& product, int64_t panel, float* to) {
  if (product.bits == 2) return unpack_bits<2>(product, panel, to);
  if (product.bits == 4) return unpack_bits<4>(product, panel, to);
  unpack_bits<8>(product, panel, to);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(multiply_nbits)
NESTRT_SIMD_EXPORT(unpack_nbits)

NBitsFunctions nbits_functions() { return {simd_pick(multiply_nbits_table), simd_pick(unpack_nbits_table)}; }

}  // namespace nestrt::kernels
#endif
