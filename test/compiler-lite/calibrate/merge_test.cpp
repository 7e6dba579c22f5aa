// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "compiler-lite/calibrate/calibrate.h"
#include "compiler-lite/calibrate/observer.h"
#include "compiler-lite/quantize/profile_yaml.h"
#include "test/compiler-lite/calibrate/equal_profiles.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::compiler {
namespace {

using test::ModelBuilder;
using test::require_equal;

using Catch::Matchers::Contains;
using Elements = std::vector<float>;

ValueProfile observed(const Elements& elements) {
  ValueObserver observer("x");
  REQUIRE(observer.observe(elements).ok());
  return observer.profile();
}

QuantizationProfile part(const Elements& elements, const std::string& model = "a") {
  QuantizationProfile result;
  result.model_digest = model;
  result.samples = 1;
  result.values = {observed(elements)};
  return result;
}

Result<QuantizationProfile> merged(const std::vector<QuantizationProfile>& parts) {
  return merge(parts, CalibrationMethod::kMinMax, kDefaultPercentile);
}

Elements waves(size_t count, float scale) {
  Elements result(count);
  for (size_t i = 0; i < count; ++i) result[i] = scale * std::sin(static_cast<float>(i));
  return result;
}

}  // namespace

TEST_CASE("Merged ranges and histograms equal those of all elements for parts of any size") {
  const std::vector<Elements> pieces{waves(500, 1e-3f), waves(77, 2000.0f), {0, 0, -0.0f}, waves(1000, 1.5f), {-1e30f}};
  std::vector<QuantizationProfile> parts;
  Elements all;
  for (const Elements& piece : pieces) {
    parts.push_back(part(piece));
    all.insert(all.end(), piece.begin(), piece.end());
    INFO(parts.size() << " parts");
    const auto result = merged(parts);
    REQUIRE(result);
    CHECK(result->samples == parts.size());
    require_equal(result->values[0], observed(all));
  }
}

TEST_CASE("The order of parts does not change ranges or histograms") {
  const auto small = part(waves(300, 1e-4f)), large = part(waves(300, 1e4f));
  const auto forward = merged({small, large}), backward = merged({large, small});
  REQUIRE((forward && backward));
  require_equal(forward->values[0], backward->values[0]);
}

TEST_CASE("Merged channel means are weighted by element count, and peaks are maxima") {
  auto first = part({1, 1, 1, 3, 3, 3}), second = part({5, 7});
  first.values[0].means = {1, 3}, first.values[0].peaks = {1, 3};
  second.values[0].means = {5, 7}, second.values[0].peaks = {5, 2};
  const auto result = merged({first, second});
  REQUIRE(result);
  CHECK(result->values[0].means == std::vector<float>{2, 4});
  CHECK(result->values[0].peaks == std::vector<float>{5, 3});
}

TEST_CASE("Merging a part without readable samples changes nothing") {
  QuantizationProfile empty = part({});
  empty.samples = 0;
  const auto some = part({1, 2, 3});
  for (const auto& parts : {std::vector{empty, some}, std::vector{some, empty}}) {
    const auto result = merged(parts);
    REQUIRE(result);
    CHECK(result->samples == 1);
    require_equal(result->values[0], some.values[0]);
  }
  CHECK_THAT(merged({empty, empty}).error().to_string(), Contains("none of the calibration samples"));
  CHECK_THAT(merged({}).error().to_string(), Contains("none of the calibration samples"));
}

TEST_CASE("Parts of different networks are rejected") {
  const auto first = part({1, 2, 3});
  auto renamed = first, other_channels = first;
  renamed.values[0].name = "y";
  other_channels.values[0].means = {1, 2};
  for (const auto& other : {part({1, 2, 3}, "b"), renamed, other_channels})
    CHECK_THAT(merged({first, other}).error().to_string(), Contains("different networks"));
}

TEST_CASE("Parts observed separately produce the same bytes as one calibration") {
  const test::TemporaryFolder folder;
  ModelBuilder builder;
  builder.input("x", {1, 5, 3, 3}).output("y");
  builder.node("Exp", {"x"}, {"exp"});
  builder.node("Sqrt", {"exp"}, {"y"});
  const std::string model = folder.write_text("model.onnx", builder.bytes());
  const size_t sizes[] = {kSamplesOfPart, kSamplesOfPart, 3}, one = 5 * 3 * 3;
  const auto options_of = [&](const std::string& name, size_t begin, size_t count) {
    const Elements elements = waves(100 * one, 3.0f);
    CalibrationOptions options;
    options.samples.npy = folder.path() + "/" + name;
    options.method = CalibrationMethod::kKl;
    const Shape shape{static_cast<int64_t>(count), 5, 3, 3};
    REQUIRE(tools::write_npy(options.samples.npy, {DataType::kF32, shape, elements.data() + begin * one}).ok());
    return options;
  };
  std::vector<QuantizationProfile> parts;
  size_t total = 0;
  for (const size_t size : sizes) {
    const auto observed = observe_part(model, options_of("part.npy", total, size));
    INFO(observed.error().to_string());
    REQUIRE(observed);
    const auto read = parse_profile(format_profile(observed->profile), "a part");  // as read from a file
    REQUIRE(read);
    parts.push_back(*read);
    total += size;
  }
  const auto whole = calibrate(model, options_of("all.npy", 0, total));
  REQUIRE(whole);
  const auto result = merge(parts, CalibrationMethod::kKl, kDefaultPercentile);
  REQUIRE(result);
  CHECK(format_profile(*result) == format_profile(whole->profile));
}

}  // namespace nestrt::compiler
