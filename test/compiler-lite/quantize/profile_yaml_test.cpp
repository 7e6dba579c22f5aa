// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/quantize/profile_yaml.h"

#include <catch2/catch.hpp>
#include <limits>
#include <numeric>
#include <random>

#include "test/compiler-lite/calibrate/equal_profiles.h"
#include "test/support/process/temporary_folder.h"

using namespace nestrt;
using namespace nestrt::compiler;
using test::require_equal;

namespace {

ValueProfile value(const std::string& name, float min, float max, const std::vector<uint64_t>& counts,
                   uint64_t zeros = 0) {
  ValueProfile result;
  result.name = name;
  result.min = min;
  result.max = max;
  result.zeros = zeros;
  result.elements = std::accumulate(counts.begin(), counts.end(), zeros);
  result.magnitudes = {-3, counts};
  return result;
}

QuantizationProfile sample_profile() {
  QuantizationProfile profile;
  profile.model_digest = "00112233445566778899001122334455";
  profile.method = CalibrationMethod::kKl;
  profile.samples = 12;
  profile.preprocessing = {{123.675F, 116.28F, 103.53F}, {0.1F}, 256, true, false, 114, false};
  profile.values = {value("data", -1.17549435e-38f, 0.1f, {1, 0, 7}, 4), value("constant: \"0\"\n-", 3, 3, {9}),
                    value("1e5", std::numeric_limits<float>::lowest(), 0, std::vector<uint64_t>(2048, 3)),
                    value("~", 0, 0, {}, 5)};
  profile.values[0].exponent = -5;
  profile.values[0].means = {0.1f, -2e-30f, 0};
  profile.values[0].peaks = {0.1f, 2e-30f, 0};
  return profile;
}

// Returns the profile as text with one part replaced.
std::string edited(const std::string& from, const std::string& to) {
  std::string text = format_profile(sample_profile());
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string complaint(const std::string& text) {
  const auto profile = parse_profile(text, "p.yaml");
  REQUIRE_FALSE(profile);
  CHECK(profile.error().code() == Code::kInvalidArgument);
  const std::string message(profile.error().message());
  CHECK(message.starts_with("'p.yaml': "));
  return message;
}

using Catch::Matchers::Contains;

}  // namespace

TEST_CASE("A profile is unchanged after a round trip through its file") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/profile.yaml";
  const QuantizationProfile expected = sample_profile();
  REQUIRE(save_profile(expected, path).ok());
  const auto profile = load_profile(path);
  INFO(profile.error().to_string());
  REQUIRE(profile);
  CHECK(profile->model_digest == expected.model_digest);
  CHECK(profile->method == expected.method);
  CHECK(profile->samples == expected.samples);
  REQUIRE(profile->preprocessing);
  CHECK(profile->preprocessing->mean == expected.preprocessing->mean);
  CHECK(profile->preprocessing->scale == expected.preprocessing->scale);
  CHECK(profile->preprocessing->resize == 256);
  CHECK(profile->preprocessing->bgr);
  CHECK_FALSE(profile->preprocessing->letterbox);
  CHECK(profile->preprocessing->pad == 114);
  CHECK_FALSE(profile->preprocessing->antialias);
  REQUIRE(profile->values.size() == expected.values.size());
  for (size_t i = 0; i < expected.values.size(); ++i) {
    const ValueProfile &a = profile->values[i], &b = expected.values[i];
    require_equal(a, b);
    CHECK(a.name == b.name);
    CHECK(a.exponent == b.exponent);
    CHECK(a.means == b.means);
    CHECK(a.peaks == b.peaks);
  }
  CHECK(load_profile(path + ".absent").error().code() == Code::kNotFound);
}

TEST_CASE("A malformed profile is rejected with its line") {
  CHECK_THAT(complaint("a: [1, 2\nb: 3"), Contains("malformed YAML") && Contains("line"));
  CHECK_THAT(complaint(""), Contains("not a quantization profile"));
  CHECK_THAT(complaint("just text"), Contains("not a quantization profile"));
  CHECK_THAT(complaint("{}"), Contains("'format' is missing"));
  CHECK_THAT(complaint(edited("format: nestrt", "format: other")), Contains("expected 'nestrt quantization profile'"));
  CHECK_THAT(complaint(edited("version: 1", "version: 2")), Contains("version") && Contains("got 2"));
  CHECK_THAT(complaint(edited("method: kl", "method: best")), Contains("expected minmax, percentile, kl or mse"));
  CHECK_THAT(complaint(edited("samples: 12", "samples: -1")), Contains("samples") && Contains("line 5"));
  CHECK_THAT(complaint(edited("max: 0.1", "max: .inf")), Contains("max: expected a number") && Contains("line 10"));
  CHECK_THAT(complaint(edited("max: 0.1", "max: nan")), Contains("max: expected a number"));
  CHECK_THAT(complaint(edited("max: 0.1", "max: -7")), Contains("got -7"));
  CHECK_THAT(complaint(edited("max: 0.1", "max: [1]")), Contains("max: expected a number"));
  CHECK_THAT(complaint(edited("max: 0.1", "max: 0.1x")), Contains("got 0.1x"));
  CHECK_THAT(complaint(edited("    max: 0.1\n", "")), Contains("'max' is missing"));
  CHECK_THAT(complaint(edited("exponent: -5", "exponent: 65")), Contains("exponent") && Contains("got 65"));
  CHECK_THAT(complaint(edited("[1, 0, 7]", "[1, 0, 8]")), Contains("13") && Contains("got 12"));
  CHECK_THAT(complaint(edited("[1, 0, 7]", "[1, -1, 8]")), Contains("got -1"));
  CHECK_THAT(complaint(edited("[1, 0, 7]", "7")), Contains("counts: expected a list"));
  CHECK_THAT(complaint(edited("bin_exponent: -3", "bin_exponent: 1000")), Contains("bin_exponent"));
  CHECK_THAT(complaint(edited("means: [0.1", "means: [nan")), Contains("means"));
  CHECK_THAT(complaint(edited("peaks: [0.1", "peaks: [-0.1")), Contains("peaks"));
  CHECK_THAT(complaint(edited("pad: 114", "pad: 256")), Contains("pad") && Contains("got 256"));
  CHECK_THAT(complaint(edited("bgr: true", "bgr: yes")), Contains("bgr: expected true or false"));
  CHECK_THAT(complaint(edited("\"1e5\"", "data")), Contains("'data' appears twice"));
}

TEST_CASE("No truncated profile is accepted silently or crashes") {
  QuantizationProfile small = sample_profile();
  small.values.resize(1);
  const std::string text = format_profile(small);
  for (size_t length = 0; length < text.rfind("counts"); ++length) {
    INFO(length);
    CHECK_FALSE(parse_profile(text.substr(0, length), "cut").has_value());
  }
}

TEST_CASE("Deep nesting in a profile is rejected") {
  CHECK_FALSE(parse_profile(std::string(100000, '['), "deep").has_value());
}

TEST_CASE("A NEST-C profile is imported") {
  const auto profile = parse_profile(
      "- name: conv1\n  min: -2\n  max: 6\n  histogram: [4, 8, 0, 4]\n"
      "- {name: relu1, min: 0.0, max: 1.0, histogram: [10.0, 2e1]}\n",
      "nestc.yaml");
  INFO(profile.error().to_string());
  REQUIRE(profile);
  CHECK(profile->model_digest.empty());
  REQUIRE(profile->values.size() == 2);
  const ValueProfile* conv = profile->find("conv1");
  REQUIRE(conv != nullptr);
  CHECK(conv->min == -2);
  CHECK(conv->max == 6);
  CHECK(conv->elements == 16);
  CHECK_FALSE(conv->exponent.has_value());
  CHECK(profile->find("relu1")->elements == 30);
  CHECK_THAT(complaint("- {name: a, min: 1, max: 0, histogram: []}"), Contains("max"));
  CHECK_THAT(complaint("- {name: a, min: 0, max: 1, histogram: [-1]}"), Contains("got -1"));
  CHECK_THAT(complaint("- {name: a, min: 0, max: 1, histogram: [.nan]}"), Contains("histogram"));
  CHECK_THAT(complaint("- {name: a, min: 0, max: 1}"), Contains("'histogram' is missing"));
  CHECK_THAT(complaint("- 7"), Contains("expected a value's {name, min, max, histogram}"));
}

TEST_CASE("A histogram over a range is converted to a histogram over magnitudes") {
  // The parts are [-2, 0), [0, 2), [2, 4) and [4, 6). Bins of 2^-8, 512 per part.
  const ValueProfile value = from_signed_histogram("x", -2, 6, {512, 1024, 0, 2048});
  CHECK(value.magnitudes.bin_exponent == -8);
  REQUIRE(value.magnitudes.counts.size() == 1536);
  for (size_t i = 0; i < 1536; ++i) {
    INFO(i);
    CHECK(value.magnitudes.counts[i] == (i < 512 ? 3 : i < 1024 ? 0 : 4));
  }
  // A part that contains zero is split there.
  const ValueProfile across = from_signed_histogram("x", -1, 3, {4000});
  CHECK(across.elements == 4000);
  const auto half = across.magnitudes.counts.begin() + 512;
  CHECK(std::accumulate(across.magnitudes.counts.begin(), half, uint64_t{0}) == 2000);
}

TEST_CASE("A histogram over an empty range describes a constant") {
  const ValueProfile constant = from_signed_histogram("x", 5, 5, {2, 3});
  CHECK(constant.elements == 5);
  CHECK(constant.zeros == 0);
  CHECK(constant.magnitudes.counts.back() == 5);
  const ValueProfile zero = from_signed_histogram("x", 0, 0, {2, 3});
  CHECK(zero.zeros == 5);
  CHECK(zero.magnitudes.counts.empty());
  CHECK(from_signed_histogram("x", 0, 0, {}).elements == 0);
}

TEST_CASE("Histograms over any range keep the number of their elements") {
  std::mt19937 generator(5);
  std::uniform_real_distribution<float> uniform(-1, 1);
  constexpr float kLargest = std::numeric_limits<float>::max();
  std::vector<std::pair<float, float>> ranges = {{-kLargest, kLargest}, {-1e-45f, 1e-45f}, {0, kLargest}};
  for (int i = 0; i < 200; ++i) {
    const float a = std::exp(20 * uniform(generator)) * uniform(generator), b = uniform(generator);
    ranges.emplace_back(std::min(a, b), std::max(a, b));
  }
  for (const auto& [min, max] : ranges) {
    INFO(min << " to " << max);
    std::vector<double> counts(1 + generator() % 300);
    uint64_t sum = 0;
    for (double& count : counts) sum += static_cast<uint64_t>(count = generator() % 1000);
    const ValueProfile value = from_signed_histogram("x", min, max, counts);
    CHECK(value.elements == sum);
    CHECK(value.magnitudes.counts.size() <= Histogram::kMaxBins);
  }
}

TEST_CASE("NEST-C profiles with more values than their file size allows are rejected") {
  std::string text;
  const auto with_values = [&](int count) {
    text.clear();
    for (int i = 0; i < count; ++i)
      text += "- {name: v" + std::to_string(i) + ", min: -1, max: 1, histogram: [1, 1, 1]}\n";
    return parse_profile(text, "p.yaml");
  };
  CHECK(with_values(4096));
  const auto refused = with_values(4400);
  REQUIRE(text.size() / Histogram::kMaxBins + 4096 < 4400);
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().to_string(), Catch::Matchers::Contains("the limit for a file of its size"));
}

TEST_CASE("Names that YAML cannot represent are rejected and nothing is written") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/profile.yaml";
  for (const char* name : {"dat\xc7", "a\xef\xbf\xbe"}) {
    QuantizationProfile profile = sample_profile();
    profile.values[0].name = name;
    const Status status = save_profile(profile, path);
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK_THAT(status.to_string(), Catch::Matchers::Contains("cannot be stored in a YAML file"));
    CHECK_FALSE(load_profile(path));
  }
}

TEST_CASE("A mistyped or repeated key of a profile is rejected with its line") {
  for (const std::string& text : {edited("exponent:", "exponnet:"), edited("samples:", "sample:"),
                                  edited("exponent: -5", "exponent: -5\n    exponent: -4")}) {
    const auto profile = parse_profile(text, "p.yaml");
    REQUIRE_FALSE(profile);
    CHECK_THAT(profile.error().to_string(), Catch::Matchers::Contains("line"));
  }
}
