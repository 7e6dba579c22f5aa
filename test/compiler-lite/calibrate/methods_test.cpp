// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/calibrate/methods.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>

#include "compiler-lite/calibrate/observer.h"

using namespace nestrt;
using namespace nestrt::compiler;

namespace {

ValueProfile profile_of(const std::vector<float>& elements) {
  ValueObserver observer("x");
  REQUIRE(observer.observe(elements).ok());
  return observer.profile();
}

// Returns the error of the actual quantization, q = clip(floor(x * 2^e + 1/2)).
double quantization_error(double element, int exponent) {
  const double q = std::clamp(std::floor(std::ldexp(element, exponent) + 0.5), -128.0, 127.0);
  return std::abs(element - std::ldexp(q, -exponent));
}

double sum_of_squares(const std::vector<float>& elements, int exponent) {
  double sum = 0;
  for (const float element : elements) sum += std::pow(quantization_error(element, exponent), 2);
  return sum;
}

// Returns distributions with different tails, scales and signs, of 4000 elements each.
std::vector<std::vector<float>> distributions() {
  std::mt19937 generator(7);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> uniform(0, 1);
  const std::vector<std::function<float()>> kinds = {
      [&] { return normal(generator); },
      [&] { return 1000 * normal(generator) * std::exp(normal(generator)); },
      [&] { return std::max(0.0f, 0.01f * normal(generator)); },
      [&] { return uniform(generator); },
      [&] { return -3 - uniform(generator); },
      [&] { return 1e-6f * std::pow(normal(generator), 5.0f); },
      [&] { return generator() % 1000 == 0 ? 500.0f : normal(generator); },
  };
  std::vector<std::vector<float>> result;
  for (const auto& kind : kinds) std::generate_n(std::back_inserter(result.emplace_back()), 4000, kind);
  return result;
}

// Returns the divergence by its definition, computed from the two normalised distributions.
double divergence(const std::vector<uint64_t>& counts, size_t range) {
  std::vector<double> p(counts.begin(), counts.end()), q(range, 0.0);
  p.resize(std::max(range, counts.size()), 0.0);
  const std::vector<double> inside(p.begin(), p.begin() + static_cast<long>(range));
  for (size_t i = range; i < p.size(); ++i) p[range - 1] += p[i];
  p.resize(range);
  for (size_t level = 0; level < 128; ++level) {
    const auto first = inside.begin() + static_cast<long>(level * range / 128);
    const auto last = inside.begin() + static_cast<long>((level + 1) * range / 128);
    double sum = 0;
    for (auto it = first; it != last; ++it) sum += *it;
    const auto occupied = std::count_if(first, last, [](double count) { return count != 0; });
    for (auto it = first; it != last; ++it)
      q[static_cast<size_t>(it - inside.begin())] = *it != 0 ? sum / static_cast<double>(occupied) : 0;
  }
  double sum_p = 0, sum_q = 0, result = 0;
  for (size_t i = 0; i < range; ++i) sum_p += p[i], sum_q += q[i];
  for (size_t i = 0; i < range; ++i)
    if (p[i] > 0) result += p[i] / sum_p * (std::log(p[i] / sum_p) - std::log(std::max(q[i] / sum_q, 1e-9)));
  return result;
}

}  // namespace

TEST_CASE("The minmax exponent is the largest at which no element is off by more than half a step") {
  for (const std::vector<float>& elements : distributions()) {
    const int exponent = minmax_exponent(profile_of(elements));
    const auto within_half_a_step = [&](int e) {
      return std::all_of(elements.begin(), elements.end(),
                         [&](float x) { return quantization_error(x, e) <= std::ldexp(0.5, -e); });
    };
    CHECK(within_half_a_step(exponent));
    CHECK_FALSE(within_half_a_step(exponent + 1));
  }
}

TEST_CASE("The minmax exponents of powers of two have their expected values") {
  CHECK(minmax_exponent(profile_of({127})) == 0);
  CHECK(minmax_exponent(profile_of({127.5f})) == 0);
  CHECK(minmax_exponent(profile_of({128})) == -1);
  CHECK(minmax_exponent(profile_of({-128})) == 0);
  CHECK(minmax_exponent(profile_of({-129})) == -1);
  CHECK(minmax_exponent(profile_of({1})) == 6);
  CHECK(minmax_exponent(profile_of({-1})) == 7);
}

TEST_CASE("Every method gives values that are always zero the same exponent") {
  for (const auto method :
       {CalibrationMethod::kMinMax, CalibrationMethod::kPercentile, CalibrationMethod::kKl, CalibrationMethod::kMse})
    CHECK(choose_exponent(method, profile_of({0, 0})) == kExponentOfZero);
}

TEST_CASE("Every method represents a constant to within half a step of its range") {
  for (const float constant : {1.0f, -0.3f, 100.0f, 1e-12f, 7e15f}) {
    const ValueProfile profile = profile_of(std::vector<float>(50, constant));
    for (const auto method : {CalibrationMethod::kMinMax, CalibrationMethod::kPercentile, CalibrationMethod::kKl,
                              CalibrationMethod::kMse}) {
      const int exponent = choose_exponent(method, profile);
      INFO(constant << " by " << name(method));
      CHECK(quantization_error(constant, exponent) <= std::ldexp(0.5, -exponent));
      CHECK(quantization_error(constant, exponent) <= std::abs(constant) / 100);
    }
  }
}

TEST_CASE("Exponents stay within their bounds for the largest and smallest floats") {
  for (const float extreme : {3e38f, 1e-45f}) {
    const ValueProfile profile = profile_of({extreme, -extreme / 2});
    for (const auto method : {CalibrationMethod::kMinMax, CalibrationMethod::kPercentile, CalibrationMethod::kKl,
                              CalibrationMethod::kMse}) {
      CHECK(choose_exponent(method, profile) == (extreme > 1 ? kMinExponent : kMaxExponent));
    }
  }
}

TEST_CASE("The percentile exponent keeps the requested share of the elements unclipped") {
  for (const std::vector<float>& elements : distributions()) {
    const ValueProfile profile = profile_of(elements);
    for (const double percentile : {50.0, 90.0, 99.0, 99.9, 100.0}) {
      std::vector<float> sorted;
      for (const float element : elements) sorted.push_back(std::abs(element));
      std::sort(sorted.begin(), sorted.end());
      const float kept = sorted[static_cast<size_t>(std::ceil(percentile / 100 * 4000)) - 1];
      const int exponent = percentile_exponent(profile, percentile);
      INFO(percentile);
      if (kept == 0) {
        CHECK(exponent == minmax_exponent(profile));
        continue;
      }
      const auto clipped = std::count_if(elements.begin(), elements.end(), [&](float x) {
        return std::abs(x) <= kept && quantization_error(x, exponent) > std::ldexp(0.5, -exponent);
      });
      CHECK(clipped == 0);
      // A finer exponent would clip, up to the resolution of a bin.
      CHECK(std::ldexp(kept + profile.magnitudes.bin_width(), exponent + 1) > 127.5);
    }
  }
}

TEST_CASE("The percentile of all elements is the minmax exponent") {
  for (const std::vector<float>& elements : distributions()) {
    const ValueProfile profile = profile_of(elements);
    CHECK(percentile_exponent(profile, 100) == minmax_exponent(profile));
  }
}

TEST_CASE("The KL exponent has the smallest divergence by its definition") {
  for (const std::vector<float>& elements : distributions()) {
    const ValueProfile profile = profile_of(elements);
    double smallest = 1e300;
    int best = 0;
    for (size_t range = 2048; range >= 128; range /= 2) {
      const double loss = divergence(profile.magnitudes.counts, range);
      const int exponent = 7 - static_cast<int>(std::log2(range)) - profile.magnitudes.bin_exponent;
      if (loss < smallest - 1e-12) smallest = loss, best = exponent;
    }
    CHECK(kl_exponent(profile) == std::max(best, minmax_exponent(profile)));
  }
}

TEST_CASE("The KL exponent cuts off a lone outlier and keeps a uniform range") {
  std::vector<float> elements;
  for (int i = 0; i < 100000; ++i) elements.push_back(static_cast<float>(i) * 1e-5f);
  const int uniform = kl_exponent(profile_of(elements));
  CHECK(uniform == 7);
  elements.push_back(12);
  CHECK(kl_exponent(profile_of(elements)) > minmax_exponent(profile_of(elements)));
}

TEST_CASE("The expected squared error equals the one computed from the elements") {
  std::mt19937 generator(3);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> elements;
  for (int i = 0; i < 200000; ++i) elements.push_back(uniform(generator));
  const ValueProfile profile = profile_of(elements);
  for (int exponent = 3; exponent <= 10; ++exponent) {
    INFO(exponent);
    CHECK(squared_error(profile, exponent) == Approx(sum_of_squares(elements, exponent)).epsilon(0.02));
  }
}

TEST_CASE("The MSE exponent minimises the squared error of the elements") {
  for (const std::vector<float>& elements : distributions()) {
    const ValueProfile profile = profile_of(elements);
    const int exponent = mse_exponent(profile);
    double smallest = 1e300;
    for (int e = exponent - 8; e <= exponent + 8; ++e) smallest = std::min(smallest, sum_of_squares(elements, e));
    CHECK(sum_of_squares(elements, exponent) <= smallest * 1.01);
  }
}

TEST_CASE("Methods accept profiles without elements and with few bins") {
  ValueProfile profile;
  CHECK(percentile_exponent(profile) == kExponentOfZero);
  profile.max = 100;
  profile.elements = 1;
  profile.magnitudes = {100, {1}};
  CHECK(minmax_exponent(profile) == 0);
  CHECK(kl_exponent(profile) == 0);
  CHECK(mse_exponent(profile) == 0);
  CHECK(percentile_exponent(profile) == 0);
}
