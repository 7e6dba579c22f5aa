// SPDX-License-Identifier: Apache-2.0
// Vectorized s8 addition, and s8c addition and subtraction, of tensors with the same shape and layout.
#include "kernels/binary/binary.h"
#include "kernels/binary/exact_sum.h"
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/quantization/s8c_operands.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/binary/binary_s8_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/quantization/s8_vectors-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {

void add_elements(const s8::AddShifts& shifts, ops::Rounding rounding, s8::Bounds bounds, const int8_t* a,
                  const int8_t* b, int8_t* y, int64_t count) {
  const auto add_all = [&](const auto& add) HWY_ATTR {
    const auto add_block = [&](int8_t* to, const int8_t* from_a, const int8_t* from_b) HWY_ATTR {
      for (int64_t i = 0; i < kBlock; i += kLanes)
        store_s8(add(load_s8(from_a + i), load_s8(from_b + i)), bounds, to + i);
    };
    map_blocks(count, add_block, y, a, b);
  };
  if (rounding == ops::Rounding::kHalfEven) return add_all(AddS8<true>(shifts, rounding));
  add_all(AddS8<false>(shifts, rounding));
}

#if HWY_TARGET == HWY_AVX3
// Factors of up to 25 bits, split into two words, each for pairs of an element of a and one of b.
struct PairFactors {
  static constexpr int kLowBits = 11;

  explicit PairFactors(const s8c::AddFactors& factors)
      : high(pair(factors.a >> kLowBits, factors.b >> kLowBits)),
        low(pair(factors.a & kLowMask, factors.b & kLowMask)) {}

  static constexpr int32_t kLowMask = (1 << kLowBits) - 1;
  static HWY_INLINE __m512i pair(int32_t a, int32_t b) { return _mm512_set1_epi32(b << 16 | a); }

  __m512i high, low;
};

// Computes the rounded weighted sums of 16 pairs (a, b).
struct PairSum {
  explicit PairSum(const s8c::AddFactors& factors)
      : factors_(factors),
        term_(_mm512_set1_epi32(factors.term)),
        last_bit_(_mm512_set1_epi32(factors.odd_term << factors.shift)),
        shift_(_mm_cvtsi32_si128(factors.shift)) {}

  HWY_INLINE __m512i operator()(__m512i pairs) const {
    const __m512i high = _mm512_slli_epi32(_mm512_madd_epi16(pairs, factors_.high), PairFactors::kLowBits);
    const __m512i sum = _mm512_add_epi32(high, _mm512_madd_epi16(pairs, factors_.low));
    const __mmask16 is_odd = _mm512_test_epi32_mask(sum, last_bit_);
    const __m512i rounded = _mm512_add_epi32(sum, term_);
    return _mm512_sra_epi32(_mm512_mask_add_epi32(rounded, is_odd, rounded, _mm512_set1_epi32(1)), shift_);
  }

 private:
  PairFactors factors_;
  __m512i term_, last_bit_;
  __m128i shift_;
};

// Adds elements in whole vectors. Returns the number of elements processed.
int64_t add_scaled_vectors(const s8c::BinaryFactors& add, const int8_t* a, const int8_t* b, int8_t* y, int64_t count) {
  constexpr int64_t kElements = 32;
  const PairSum pair_sum(add.sum);
  const __m512i zero_a = _mm512_set1_epi16(static_cast<int16_t>(add.zero_a));
  const __m512i zero_b = _mm512_set1_epi16(static_cast<int16_t>(add.zero_b));
  const __m512i zero = _mm512_set1_epi16(static_cast<int16_t>(add.to.zero_point));
  const __m256i low = _mm256_set1_epi8(static_cast<char>(add.bounds.low)),
                high = _mm256_set1_epi8(static_cast<char>(add.bounds.high));
  const auto words = [](const int8_t* from) HWY_ATTR {
    return _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  };
  int64_t i = 0;
  for (; i + kElements <= count; i += kElements) {
    const __m512i steps_a = _mm512_sub_epi16(words(a + i), zero_a), steps_b = _mm512_sub_epi16(words(b + i), zero_b);
    const __m512i first = pair_sum(_mm512_unpacklo_epi16(steps_a, steps_b));
    const __m512i second = pair_sum(_mm512_unpackhi_epi16(steps_a, steps_b));
    const __m512i sums = _mm512_adds_epi16(_mm512_packs_epi32(first, second), zero);
    const __m256i narrow = _mm512_cvtsepi16_epi8(sums);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(y + i), _mm256_min_epi8(_mm256_max_epi8(narrow, low), high));
  }
  return i;
}
#endif

void add_scaled_elements(const s8c::BinaryFactors& add, const int8_t* a, const int8_t* b, int8_t* y, int64_t count) {
  const D32 d;
  const V32 zero_a = hn::Set(d, add.zero_a), zero_b = hn::Set(d, add.zero_b), zero = hn::Set(d, add.to.zero_point);
  const auto add_block = [&](int8_t* to, const int8_t* from_a, const int8_t* from_b) HWY_ATTR {
    for (int64_t i = 0; i < kBlock; i += kLanes) {
      const V32 steps_a = hn::Sub(load_s8(from_a + i), zero_a), steps_b = hn::Sub(load_s8(from_b + i), zero_b);
      store_s8(hn::Add(add_s8c(steps_a, steps_b, add.sum), zero), add.bounds, to + i);
    }
  };
#if HWY_TARGET == HWY_AVX3
  const int64_t done = add_scaled_vectors(add, a, b, y, count);
  a += done, b += done, y += done, count -= done;
#endif
  map_blocks(count, add_block, y, a, b);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(add_elements)
NESTRT_SIMD_EXPORT(add_scaled_elements)

namespace {

constexpr int64_t kMinPixels = 14 * kMinRows;

// Calls run(a, b, y, count) in parallel on ranges of the elements.
template <typename Run>
Result<std::unique_ptr<Kernel>> add_kernel(const OperatorSpec& spec, Run run) {
  const TensorSpec& y = spec.outputs[0];
  const auto count = static_cast<int64_t>(y.storage_bytes());
  const bool has_planes = y.layout == Layout::kBlocked16 && y.shape.rank() > 2;
  const int64_t pixel = has_planes ? block_size(y.layout) : 1;
  const int64_t pixels = has_planes ? std::max<int64_t>(1, y.shape.product(2, y.shape.rank())) : count;
  return make_kernel([count, pixel, pixels, run](const KernelCall& call) {
    const int8_t *a = call.input<int8_t>(0), *b = call.input<int8_t>(1);
    if (count == 0) return;
    parallel_planes(*call.parallel, count / (pixel * pixels), pixels, range_count(*call.parallel, count), kMinPixels,
                    [&](int64_t plane, Range part, int) {
                      const int64_t first = (plane * pixels + part.first) * pixel;
                      run(a + first, b + first, call.output<int8_t>(0) + first, part.size() * pixel);
                    });
  });
}

Result<std::unique_ptr<Kernel>> prepare_scaled(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(s8c::BinaryFactors add, s8c::binary_factors(spec));
  if (auto table = prepare_exact_sum(add))
    return add_kernel(spec, [table](const int8_t* a, const int8_t* b, int8_t* y, int64_t count) {
      table->look_up(a, 1, b, 1, y, count);
    });
  return add_kernel(spec,
                    [add, run = simd_pick(add_scaled_elements_table)](const int8_t* a, const int8_t* b, int8_t* y,
                                                                      int64_t count) { run(add, a, b, y, count); });
}

}  // namespace

bool accepts_binary_s8_add(const OperatorSpec& spec) {
  const ops::BinaryKind kind = spec.as<ops::Binary>()->kind;
  if (kind != ops::BinaryKind::kAdd && kind != ops::BinaryKind::kSub) return false;
  const TensorSpec& output = spec.outputs[0];
  for (const TensorSpec& input : spec.inputs)
    if (input.type != DataType::kS8 || input.shape != output.shape || input.layout != output.layout ||
        input.packing != Packing::kNone)
      return false;
  return true;
}

Result<std::unique_ptr<Kernel>> prepare_binary_s8_add(const OperatorSpec& spec) {
  if (s8c::has_scales(spec.inputs[0])) return prepare_scaled(spec);
  const ops::Binary& attributes = *spec.as<ops::Binary>();
  NESTRT_ASSIGN_OR_RETURN(const s8::AddShifts shifts, s8::binary_shifts(spec));
  NESTRT_ASSIGN_OR_RETURN(const int exponent, s8::exponent_of(spec.outputs[0], "the output"));
  const s8::Bounds bounds = s8::activation_bounds(attributes.activation, exponent, attributes.rounding);
  return add_kernel(spec, [shifts, rounding = attributes.rounding, bounds, run = simd_pick(add_elements_table)](
                              const int8_t* a, const int8_t* b, int8_t* y, int64_t count) {
    run(shifts, rounding, bounds, a, b, y, count);
  });
}

}  // namespace nestrt::kernels
#endif
