// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "compiler-lite/quantize/profile_yaml.h"

namespace nestrt::compiler {
namespace {

constexpr size_t kBins = Histogram::kMaxBins;

// Histogram of magnitudes with fractional counts.
class Spread {
 public:
  explicit Spread(double bin_width) : bin_width_(bin_width), counts_(kBins, 0.0) {}

  // Adds `count` elements evenly distributed over [low, high]. Requires: the interval does not contain numbers of both
  // signs.
  void add(double low, double high, double count) {
    if (low < 0) low = -low, high = -high;
    if (low > high) std::swap(low, high);
    const double first = low / bin_width_, last = high / bin_width_;
    if (last <= first) return add_to(first, count);
    const double density = count / (last - first);
    for (auto i = std::floor(first); i < last; ++i) add_to(i, density * (std::min(last, i + 1) - std::max(first, i)));
  }

  // Returns whole numbers whose running sums equal the rounded running sums.
  std::vector<uint64_t> rounded() const {
    std::vector<uint64_t> result;
    result.reserve(counts_.size());
    double sum = 0;
    uint64_t rounded_sum = 0;
    for (const double count : counts_) {
      sum += count;
      result.push_back(static_cast<uint64_t>(std::llround(sum)) - rounded_sum);
      rounded_sum += result.back();
    }
    while (!result.empty() && result.back() == 0) result.pop_back();
    result.shrink_to_fit();  // a profile may contain thousands of histograms
    return result;
  }

 private:
  void add_to(double bin, double count) { counts_[std::min(static_cast<size_t>(bin), kBins - 1)] += count; }

  double bin_width_;
  std::vector<double> counts_;
};

int bin_exponent(double largest_magnitude) {
  int above = 0;
  std::frexp(largest_magnitude, &above);
  return std::clamp(above - static_cast<int>(std::log2(kBins)), Histogram::kMinBinExponent, Histogram::kMaxBinExponent);
}

}  // namespace

ValueProfile from_signed_histogram(std::string name, float min, float max, const std::vector<double>& counts) {
  ValueProfile result;
  result.name = std::move(name);
  result.min = min;
  result.max = max;
  result.magnitudes.bin_exponent = bin_exponent(std::max(-static_cast<double>(min), static_cast<double>(max)));
  Spread spread(result.magnitudes.bin_width());
  double zeros = 0;
  const double part = (static_cast<double>(max) - min) / static_cast<double>(counts.size());
  for (size_t i = 0; i < counts.size(); ++i) {
    const double low = min + part * static_cast<double>(i), high = low + part;
    if (low == 0 && high == 0) {
      zeros += counts[i];
    } else if (low < 0 && high > 0) {
      spread.add(low, 0, counts[i] * -low / part);
      spread.add(0, high, counts[i] * high / part);
    } else {
      spread.add(low, high, counts[i]);
    }
  }
  result.magnitudes.counts = spread.rounded();
  result.zeros = static_cast<uint64_t>(std::llround(zeros));
  result.elements = result.zeros;
  for (const uint64_t count : result.magnitudes.counts) result.elements += count;
  return result;
}

}  // namespace nestrt::compiler
