#include "tools/common/cost_profile.h"

#include <catch2/catch.hpp>

namespace nestrt::tools {
namespace {

using Catch::Matchers::Contains;

CostProfile sample() {
  CostProfile profile{"my \"board\"", {}};
  const UnitKey one{"cpu", "neon", 1}, four{"cpu", "neon", 4}, npu{"evta", "1x16", 1};
  profile.costs.set(one, "Conv a=1: f32 1 -> f32 1", {1234.5678, CostSource::kMeasured});
  profile.costs.set(four, "Conv a=1: f32 1 -> f32 1", {400, CostSource::kMeasured});
  profile.costs.set(one, "Conv a=1: f32 1 -> f32 1 channels 16-32", {600, CostSource::kMeasured});
  profile.costs.set(npu, "Conv a=1: f32 1 -> f32 1 channels 0-16", {100, CostSource::kModelled});
  profile.costs.set(npu, "Pool", {0.5, CostSource::kSimulated});
  profile.costs.set_overhead(npu, {17, 5, 400});
  return profile;
}

std::string refusal(const std::string& text) {
  const auto profile = parse_cost_profile(text, "p.yaml");
  REQUIRE_FALSE(profile);
  CHECK(profile.error().code() == Code::kInvalidArgument);
  return std::string(profile.error().message());
}

const std::string kHead = "format: nestrt performance profile\nversion: 1\nboard: b\n";
const std::string kUnit =
    "units:\n  - {unit: cpu, configuration: neon, threads: 1, source: measured, start_us: 0, finish_us: 0, "
    "mb_per_s: 0, lane_us: 0}\n";

TEST_CASE("A profile of costs is read as it was written") {
  const CostProfile written = sample();
  const auto read = parse_cost_profile(format_cost_profile(written), "p.yaml");
  REQUIRE(read);
  CHECK(read->board == written.board);
  REQUIRE(read->costs.units().size() == written.costs.units().size());
  for (const auto& [unit, works] : written.costs.units()) {
    for (const auto& [work, cost] : works) {
      INFO(work);
      const WorkCost* const found = read->costs.find(unit, work);
      REQUIRE(found != nullptr);
      CHECK(found->microseconds == Approx(cost.microseconds).epsilon(1e-4));
      CHECK(found->source == cost.source);
    }
  }
  CHECK(read->costs.overhead({"evta", "1x16", 1}).mb_per_s == 400);
  CHECK(format_cost_profile(*read) == format_cost_profile(written));
}

TEST_CASE("A profile that makes no sense is refused with its line") {
  CHECK(parse_cost_profile(kHead + kUnit + "works: []\n", "p.yaml"));
  CHECK_THAT(refusal("[]"), Contains("nestrt profile"));
  CHECK_THAT(refusal("format: [\n"), Contains("malformed YAML"));
  CHECK_THAT(refusal("format: other\nversion: 1\n"), Contains("format"));
  CHECK_THAT(refusal("format: nestrt performance profile\nversion: 2\n"), Contains("version"));
  CHECK_THAT(refusal(kHead + kUnit), Contains("'works' is missing"));
  CHECK_THAT(refusal(kHead + "units: []\nworks: []\nelse: 1\n"), Contains("line 6") && Contains("'else'"));
  const std::string works = kHead + kUnit + "works:\n";
  CHECK_THAT(refusal(works + "  - {work: Conv, us: [1, 2]}\n"), Contains("line 7") && Contains("expected 1 times"));
  CHECK_THAT(refusal(works + "  - {work: Conv, us: [-1]}\n"), Contains("line 7") && Contains("a time"));
  CHECK_THAT(refusal(works + "  - {work: Conv, us: [nan]}\n"), Contains("a time"));
  CHECK_THAT(refusal(works + "  - {us: [1]}\n"), Contains("'work' is missing"));
  CHECK_THAT(refusal(works + "  - {work: Conv, us: [1]}\n  - {work: Conv, us: [1]}\n"),
             Contains("line 8") && Contains("twice"));
  CHECK_THAT(refusal(works + "  - {work: Conv, channels: {all: [1]}}\n"), Contains("BEGIN-END"));
  CHECK_THAT(refusal(works + "  - {work: Conv, times: [1]}\n"), Contains("'times'"));
  CHECK_THAT(refusal(kHead + "units:\n  - {unit: cpu}\nworks: []\n"), Contains("line 5"));
}

}  // namespace
}  // namespace nestrt::tools
