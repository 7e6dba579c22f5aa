// SPDX-License-Identifier: Apache-2.0
// Merges the profiles of consecutive parts of the samples.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "compiler-lite/calibrate/calibrate.h"

namespace nestrt::compiler {
namespace {

// Merges pairs of bins, which is exact, until they have the requested width.
void widen(Histogram& histogram, int bin_exponent) {
  for (; histogram.bin_exponent < bin_exponent; ++histogram.bin_exponent) {
    std::vector<uint64_t>& counts = histogram.counts;
    const size_t half = (counts.size() + 1) / 2;
    for (size_t i = 0; i < half; ++i) counts[i] = counts[2 * i] + (2 * i + 1 < counts.size() ? counts[2 * i + 1] : 0);
    counts.resize(half);
  }
}

void add(Histogram& into, Histogram from) {
  widen(into, from.bin_exponent);
  widen(from, into.bin_exponent);
  into.counts.resize(std::max(into.counts.size(), from.counts.size()));
  for (size_t i = 0; i < from.counts.size(); ++i) into.counts[i] += from.counts[i];
}

// Merges the per-channel statistics: means weighted by element count, peaks by maximum.
void add_channels(ValueProfile& into, const ValueProfile& from) {
  const auto before = static_cast<double>(into.elements), more = static_cast<double>(from.elements);
  for (size_t channel = 0; channel < into.means.size(); ++channel) {
    into.means[channel] =
        static_cast<float>((into.means[channel] * before + from.means[channel] * more) / (before + more));
    into.peaks[channel] = std::max(into.peaks[channel], from.peaks[channel]);
  }
}

void add(ValueProfile& into, const ValueProfile& from) {
  if (from.elements == 0) return;
  if (into.elements == 0) {
    into = from;
    return;
  }
  add_channels(into, from);
  into.min = std::min(into.min, from.min);
  into.max = std::max(into.max, from.max);
  into.elements += from.elements;
  into.zeros += from.zeros;
  add(into.magnitudes, from.magnitudes);
}

bool of_one_network(const QuantizationProfile& a, const QuantizationProfile& b) {
  return a.model_digest == b.model_digest &&
         std::ranges::equal(a.values, b.values, [](const ValueProfile& first, const ValueProfile& second) {
           const bool same_channels =
               first.elements == 0 || second.elements == 0 ||
               (first.means.size() == second.means.size() && first.peaks.size() == second.peaks.size());
           return first.name == second.name && same_channels;
         });
}

}  // namespace

Result<QuantizationProfile> merge(std::span<const QuantizationProfile> parts, CalibrationMethod method,
                                  double percentile) {
  QuantizationProfile result;
  for (const QuantizationProfile& part : parts) {
    if (&part == &parts.front()) {
      result = part;
      continue;
    }
    if (!of_one_network(result, part))
      return Status(Code::kInvalidArgument, "cannot merge profiles of different networks");
    for (size_t i = 0; i < part.values.size(); ++i) add(result.values[i], part.values[i]);
    result.samples += part.samples;
    if (!result.preprocessing) result.preprocessing = part.preprocessing;
  }
  if (result.samples == 0) return Status(Code::kInvalidArgument, "none of the calibration samples could be read");
  result.method = method;
  choose_exponents(result, percentile);
  return result;
}

std::optional<HeldOut> hold_out(std::span<const QuantizationProfile> parts, CalibrationMethod method,
                                double percentile) {
  std::vector<size_t> observed;
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i].samples > 0) observed.push_back(i);
  if (observed.size() < 2) return std::nullopt;
  const size_t omitted = observed[(observed.size() - 1) / 2];
  std::vector<QuantizationProfile> others(parts.begin(), parts.end());
  others.erase(others.begin() + static_cast<ptrdiff_t>(omitted));
  auto profile = merge(others, method, percentile);
  if (!profile) return std::nullopt;
  return HeldOut{std::move(*profile), {omitted * kSamplesOfPart, (omitted + 1) * kSamplesOfPart}};
}

}  // namespace nestrt::compiler
