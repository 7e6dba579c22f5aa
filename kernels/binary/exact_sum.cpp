// SPDX-License-Identifier: Apache-2.0
#include "kernels/binary/exact_sum.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace nestrt::kernels {
namespace {

constexpr int kLow = -128, kHigh = 127;
constexpr int kClipped = 256;  // steps that no zero point brings back into the range of s8
constexpr int kMaxShift = 30;

int32_t largest_distance(int32_t zero_point) {
  return std::max(std::abs(kLow - zero_point), std::abs(kHigh - zero_point));
}

// A pair whose exact sum may be so close to a tie that the factors decide how it is rounded.
struct CriticalPair {
  int32_t a, b;  // elements minus their zero points
  int32_t steps;
};

// Searches rounded factors and a rounding term.
class FactorSearch {
 public:
  explicit FactorSearch(const s8c::BinaryFactors& binary)
      : binary_(binary),
        ratio_a_(binary.scales.a / binary.scales.out),
        ratio_b_(binary.scales.b / binary.scales.out),
        reach_(largest_distance(binary.zero_a) + largest_distance(binary.zero_b)) {
    choose_shift();
    collect_critical_pairs();
  }

  std::optional<s8c::AddFactors> run() const {
    if (const auto factors = with_term(0, 0)) return factors;
    if (const auto factors = with_even_ties()) return factors;
    for (const int step_a : {0, -1, 1})
      for (const int step_b : {0, -1, 1})
        if (const auto factors = with_term(step_a, step_b)) return factors;
    return std::nullopt;
  }

 private:
  // Chooses the largest shift for which sums and rounding terms fit int32.
  void choose_shift() {
    const double largest =
        largest_distance(binary_.zero_a) * ratio_a_ + largest_distance(binary_.zero_b) * std::abs(ratio_b_) + 1;
    const double limit = std::numeric_limits<int32_t>::max() - 4.0 * reach_;
    for (shift_ = kMaxShift; shift_ > 0 && std::ldexp(largest, shift_) > limit;) --shift_;
    a_ = static_cast<int32_t>(std::nearbyint(std::ldexp(ratio_a_, shift_)));
    b_ = static_cast<int32_t>(std::nearbyint(std::ldexp(ratio_b_, shift_)));
  }

  int32_t half() const { return shift_ == 0 ? 0 : int32_t{1} << (shift_ - 1); }
  int32_t max_offset() const { return reach_ / 2; }

  // Factors are off by at most 1.5, and the rounding term by max_offset(): sums farther from a tie are rounded
  // correctly.
  void collect_critical_pairs() {
    const auto margin = static_cast<uint32_t>(2 * reach_);
    const uint32_t mask = (uint32_t{1} << shift_) - 1;
    for (int32_t a = kLow - binary_.zero_a; a <= kHigh - binary_.zero_a; ++a)
      for (int32_t b = kLow - binary_.zero_b; b <= kHigh - binary_.zero_b; ++b) {
        const auto raised = static_cast<uint32_t>(a * a_ + b * b_ + half());
        if (((raised + margin) & mask) <= 2 * margin) pairs_.push_back({a, b, s8c::add_exactly(a, b, binary_.scales)});
      }
  }

  // Intersects the intervals of the rounding term that give the exact result of each critical pair.
  std::optional<s8c::AddFactors> with_term(int step_a, int step_b) const {
    const int32_t a = a_ + step_a, b = b_ + step_b;
    int64_t least = half() - max_offset(), most = half() + max_offset();
    for (const CriticalPair& pair : pairs_) {
      const int64_t sum = int64_t{pair.a} * a + int64_t{pair.b} * b;
      if (pair.steps > -kClipped)
        least = std::max(least, int64_t{std::min(pair.steps, kClipped)} * (int64_t{1} << shift_) - sum);
      if (pair.steps < kClipped)
        most = std::min(most, (int64_t{std::max(pair.steps, -kClipped)} + 1) * (int64_t{1} << shift_) - 1 - sum);
      if (least > most) return std::nullopt;
    }
    return s8c::AddFactors{a, b, shift_, static_cast<int32_t>(std::clamp<int64_t>(half(), least, most)), 0};
  }

  // If the factors are exact, so are ties.
  std::optional<s8c::AddFactors> with_even_ties() const {
    if (shift_ == 0) return std::nullopt;
    const s8c::AddFactors factors{a_, b_, shift_, half() - 1, 1};
    const auto clip = [](int32_t steps) { return std::clamp(steps, -kClipped, kClipped); };
    const bool is_exact = std::all_of(pairs_.begin(), pairs_.end(), [&](const CriticalPair& pair) {
      return clip(s8c::add(pair.a, pair.b, factors)) == clip(pair.steps);
    });
    return is_exact ? std::optional(factors) : std::nullopt;
  }

  const s8c::BinaryFactors& binary_;
  double ratio_a_, ratio_b_;
  int32_t reach_;
  int shift_ = 0;
  int32_t a_ = 0, b_ = 0;
  std::vector<CriticalPair> pairs_;
};

size_t index_of(int a, int b) { return static_cast<size_t>((a - kLow) * 256 + (b - kLow)); }

}  // namespace

std::optional<s8c::AddFactors> find_exact_factors(const s8c::BinaryFactors& binary) {
  return FactorSearch(binary).run();
}

PairTable::PairTable(const s8c::BinaryFactors& binary) : results_(65'536) {
  for (int a = kLow; a <= kHigh; ++a)
    for (int b = kLow; b <= kHigh; ++b)
      results_[index_of(a, b)] = s8c::combine(binary, static_cast<int8_t>(a), static_cast<int8_t>(b));
}

void PairTable::look_up(const int8_t* a, int64_t step_a, const int8_t* b, int64_t step_b, int8_t* y,
                        int64_t count) const {
  constexpr int64_t kRepeated = 15;  // mask of the index into a block
  const int64_t mask_a = step_a == 0 ? kRepeated : -1, mask_b = step_b == 0 ? kRepeated : -1;
  for (int64_t i = 0; i < count; ++i) y[i] = results_[index_of(a[i & mask_a], b[i & mask_b])];
}

std::shared_ptr<const PairTable> prepare_exact_sum(s8c::BinaryFactors& binary) {
  if (!binary.adds_exactly) return nullptr;
  const std::optional<s8c::AddFactors> factors = find_exact_factors(binary);
  if (!factors) return std::make_shared<PairTable>(binary);
  binary.sum = *factors;
  return nullptr;
}

}  // namespace nestrt::kernels
