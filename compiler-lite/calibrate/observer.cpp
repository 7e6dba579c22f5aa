// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/calibrate/observer.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace nestrt::compiler {
namespace {

constexpr int kBinBits = std::bit_width(Histogram::kMaxBins) - 1;

// Maps floats to integers in the same order, with NaN and infinity outermost. The integer minimum and maximum vectorise
// and reveal non-finite values.
int32_t ordered(float value) {
  const auto bits = std::bit_cast<int32_t>(value);
  return bits ^ ((bits >> 31) & 0x7fffffff);
}
float from_ordered(int32_t key) { return std::bit_cast<float>(key ^ ((key >> 31) & 0x7fffffff)); }

constexpr int32_t kLargest = 0x7f7fffff;      // ordered(largest finite float)
constexpr int32_t kSmallest = -kLargest - 1;  // ordered(its negative)

struct Extremes {
  int32_t min = std::numeric_limits<int32_t>::max();
  int32_t max = std::numeric_limits<int32_t>::min();

  bool finite() const { return min >= kSmallest && max <= kLargest; }
};

Extremes extremes(std::span<const float> elements) {
  Extremes result;
  for (const float element : elements) {
    const int32_t key = ordered(element);
    result.min = std::min(result.min, key);
    result.max = std::max(result.max, key);
  }
  return result;
}

Status refuse(const std::string& name, std::span<const float> elements) {
  const auto bad = [](float element) { return !std::isfinite(element); };
  const auto first = std::find_if(elements.begin(), elements.end(), bad);
  return Status(
      Code::kInvalidArgument,
      fmt::format("value '{}' is {} at {} of {} elements, which cannot be quantized; check the model (replace a mask "
                  "of -inf by -1e9), its preprocessing (--mean, --scale) and the calibration data",
                  name, *first, std::count_if(elements.begin(), elements.end(), bad), elements.size()));
}

}  // namespace

Status ValueObserver::observe(std::span<const float> elements) {
  if (elements.empty()) return {};
  const Extremes range = extremes(elements);
  if (!range.finite()) return refuse(name_, elements);
  const float low = from_ordered(range.min), high = from_ordered(range.max);
  min_ = elements_ == 0 ? low : std::min(min_, low);
  max_ = elements_ == 0 ? high : std::max(max_, high);
  widen(std::max(std::abs(low), std::abs(high)));
  count(elements);
  elements_ += elements.size();
  return {};
}

// Merges bins until `magnitude` fits in the last bin.
void ValueObserver::widen(float magnitude) {
  int above = 0;  // magnitude < 2^above
  std::frexp(magnitude, &above);
  for (; magnitude > 0 && bin_exponent_ < above - kBinBits; ++bin_exponent_) {
    for (size_t i = 0; i < counts_.size() / 2; ++i) counts_[i] = counts_[2 * i] + counts_[2 * i + 1];
    std::fill(counts_.begin() + counts_.size() / 2, counts_.end(), 0);
  }
}

void ValueObserver::count(std::span<const float> elements) {
  const float bins_per_unit = std::ldexp(1.0f, -bin_exponent_);
  uint64_t zeros = 0;
  for (const float element : elements) {
    zeros += element == 0;
    ++counts_[static_cast<size_t>(static_cast<int32_t>(std::abs(element) * bins_per_unit))];
  }
  zeros_ += zeros;
}

ValueProfile ValueObserver::profile() const {
  ValueProfile result;
  result.name = name_;
  result.min = min_ + 0.0f;  // no negative zero
  result.max = max_ + 0.0f;
  result.elements = elements_;
  result.zeros = zeros_;
  result.magnitudes.bin_exponent = bin_exponent_;
  result.magnitudes.counts.assign(counts_.begin(), counts_.end());
  result.magnitudes.counts[0] -= zeros_;
  while (!result.magnitudes.counts.empty() && result.magnitudes.counts.back() == 0) result.magnitudes.counts.pop_back();
  return result;
}

}  // namespace nestrt::compiler
