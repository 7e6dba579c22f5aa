// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/calibrate/observer.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "test/compiler-lite/calibrate/equal_profiles.h"

using namespace nestrt;
using namespace nestrt::compiler;
using test::require_equal;

namespace {

// Returns random values spanning many orders of magnitude; about one in four is zero.
std::vector<float> random_elements(size_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> result;
  for (size_t i = 0; i < count; ++i)
    result.push_back(generator() % 4 == 0 ? 0.0f : normal(generator) * std::exp(3 * normal(generator)));
  return result;
}

ValueProfile observed(const std::vector<float>& elements, size_t piece) {
  ValueObserver observer("x");
  for (size_t i = 0; i < elements.size(); i += piece)
    REQUIRE(observer.observe(std::span(elements).subspan(i, std::min(piece, elements.size() - i))).ok());
  return observer.profile();
}

}  // namespace

TEST_CASE("A histogram counts every element in the bin of its magnitude") {
  const std::vector<float> elements = random_elements(5000, 1);
  const ValueProfile profile = observed(elements, 5000);
  std::map<size_t, uint64_t> expected;
  float min = 0, max = 0;
  uint64_t zeros = 0;
  for (const float element : elements) {
    min = std::min(min, element), max = std::max(max, element);
    if (element == 0)
      ++zeros;
    else
      ++expected[static_cast<size_t>(std::floor(std::abs(element) / profile.magnitudes.bin_width()))];
  }
  CHECK(profile.min == min);
  CHECK(profile.max == max);
  CHECK(profile.elements == 5000);
  CHECK(profile.zeros == zeros);
  for (size_t i = 0; i < profile.magnitudes.counts.size(); ++i) {
    INFO(i);
    CHECK(profile.magnitudes.counts[i] == (expected.count(i) ? expected[i] : 0));
  }
  CHECK(expected.rbegin()->first + 1 == profile.magnitudes.counts.size());
}

TEST_CASE("A histogram uses at least half of its bins") {
  const ValueProfile profile = observed(random_elements(1000, 2), 10);
  CHECK(profile.magnitudes.counts.size() > Histogram::kMaxBins / 2);
  CHECK(profile.magnitudes.counts.size() <= Histogram::kMaxBins);
}

TEST_CASE("A histogram depends neither on the order of the elements nor on their division into calls") {
  std::vector<float> elements = random_elements(3000, 3);
  const ValueProfile whole = observed(elements, 3000);
  require_equal(observed(elements, 7), whole);
  std::sort(elements.begin(), elements.end(), [](float a, float b) { return std::abs(a) < std::abs(b); });
  require_equal(observed(elements, 1), whole);
  std::reverse(elements.begin(), elements.end());
  require_equal(observed(elements, 100), whole);
}

TEST_CASE("The range of a value that never reaches zero does not include zero") {
  const ValueProfile profile = observed({3, 5, 4}, 1);
  CHECK(profile.min == 3);
  CHECK(profile.max == 5);
  const ValueProfile negative = observed({-3, -5}, 2);
  CHECK(negative.min == -5);
  CHECK(negative.max == -3);
}

TEST_CASE("Constant values have one bin and zeros have no bin") {
  const ValueProfile constant = observed({0.1f, 0.1f, 0.1f}, 2);
  CHECK(constant.magnitudes.counts.back() == 3);
  CHECK(constant.zeros == 0);
  const ValueProfile zeros = observed({0.0f, -0.0f}, 1);
  CHECK(zeros.magnitudes.counts.empty());
  CHECK(zeros.zeros == 2);
  CHECK(zeros.min == 0);
  CHECK(zeros.max == 0);
  CHECK(ValueObserver("never seen").profile().elements == 0);
}

TEST_CASE("The largest and the smallest floats have a bin") {
  constexpr float kLargest = std::numeric_limits<float>::max();
  constexpr float kDenormal = std::numeric_limits<float>::denorm_min();
  const ValueProfile large = observed({kLargest, -kLargest, kDenormal}, 1);
  CHECK(large.magnitudes.counts.size() == Histogram::kMaxBins);
  CHECK(large.magnitudes.counts.back() == 2);
  CHECK(large.magnitudes.counts.front() == 1);
  CHECK(large.magnitudes.bin_exponent <= Histogram::kMaxBinExponent);
  const ValueProfile small = observed({kDenormal, kDenormal}, 2);
  CHECK(small.magnitudes.counts == std::vector<uint64_t>{2});
  CHECK(small.max == kDenormal);
}

TEST_CASE("NaN and infinity are rejected with the value's name and not counted") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (const float bad : {kInfinity, -kInfinity, kNan, -kNan}) {
    ValueObserver observer("conv3_out");
    REQUIRE(observer.observe(std::vector<float>{1, -2}).ok());
    const Status status = observer.observe(std::vector<float>{9, bad, 3, bad});
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(std::string(status.message()).find("'conv3_out'") != std::string::npos);
    CHECK(std::string(status.message()).find("at 2 of 4 elements") != std::string::npos);
    CHECK(observer.profile().elements == 2);
    CHECK(observer.profile().max == 1);
  }
}
