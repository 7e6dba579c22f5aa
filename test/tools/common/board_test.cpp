#include "tools/common/board.h"

#include <catch2/catch.hpp>
#include <map>

namespace nestrt::tools {
namespace {

using Catch::Matchers::Contains;

Result<Board> parse(const std::string& yaml) {
  return parse_board(yaml, "b.yaml", [](BoardUnit*) { return Status(); });
}

std::string list_of(size_t count, const std::string& entry) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + entry;
  return "[" + text + "]";
}

}  // namespace

TEST_CASE("A board names files of costs, each once and not beyond reason") {
  const auto with_profiles = [](const std::string& list) {
    return parse("board: b\nunits: [{unit: cpu}]\nprofiles: " + list + "\n");
  };
  const auto board = with_profiles("[a.costs, b.costs]");
  REQUIRE(board);
  CHECK(board->profiles == std::vector<std::string>{"a.costs", "b.costs"});
  const auto repeated = with_profiles("[a.costs, b.costs, a.costs]");
  REQUIRE_FALSE(repeated);
  CHECK_THAT(repeated.error().to_string(), Contains("line 3") && Contains("'a.costs' is there twice"));
  const auto many = with_profiles(list_of(17, "x"));
  REQUIRE_FALSE(many);
  CHECK_THAT(many.error().to_string(), Contains("at most 16 files"));
}

TEST_CASE("A board states what its units share, and how they are waited for") {
  const auto board = parse(
      "board: b\nmemory: {mb_per_s: 9000}\nunits: [{unit: cpu, wake_us: 15, kernel_us: 2}, {unit: evta, awake_us: "
      "130}]\n");
  REQUIRE(board);
  CHECK(board->memory_mb_per_s == 9000);
  CHECK(board->units[0].wake_us == 15);
  CHECK(board->units[0].kernel_us == 2);
  CHECK_FALSE(parse("board: b\nunits: [{unit: cpu}, {unit: evta, kernel_us: 2}]\n"));
  CHECK(board->units[1].awake_us == 130);
  for (const std::string wrong : {"memory: 9000", "memory: {mb_per_s: 0}", "memory: {gb_per_s: 9}"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse("board: b\n" + wrong + "\nunits: [{unit: cpu}]\n"));
  }
  const auto refused = parse("board: b\nunits: [{unit: evta, wake_us: 1}]\n");
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().to_string(), Contains("line 2") && Contains("wake_us"));
}

TEST_CASE("A CPU's estimates have rates by kind of work, and of what is of no kind") {
  const auto with_estimates = [](const std::string& text) {
    return parse("board: b\nunits: [{unit: cpu, estimates: " + text + "}]\n");
  };
  const auto board =
      with_estimates("{fork_us: 2, kinds: {other: {begin_us: 1}, s8 Pool: {work_per_us: 3, results_per_us: 4}}}");
  REQUIRE(board);
  const HostRates& rates = board->units[0].estimates;
  CHECK(rates.fork_us == 2);
  CHECK(rates.kinds.at("other").begin_us == 1);
  CHECK(rates.kinds.at("s8 Pool").work_per_us == 3);
  CHECK(rates.kinds.at("s8 Pool").results_per_us == 4);
  for (const auto& [text, part] :
       std::map<std::string, std::string>{{"{kinds: {s8 Pool: {begin_us: 1}}}", "'other' is missing"},
                                          {"{kinds: {other: {begin: 1}}}", "begin"},
                                          {"{kinds: {other: {work_per_us: 0}}}", "work_per_us"},
                                          {"{kinds: {other: 1}}", "expected {begin_us"},
                                          {"{kinds: [1]}", "kinds of work"},
                                          {"{fork_us: 1}", "kinds"},
                                          {"1", "estimates: expected"}}) {
    const auto refused = with_estimates(text);
    INFO(text);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().to_string(), Contains(part));
  }
  CHECK_FALSE(parse("board: b\nunits: [{unit: evta, estimates: {kinds: {other: {begin_us: 1}}}}]\n"));
}

TEST_CASE("Programs of an accelerator take time to launch, the CPU's do not") {
  const auto board = parse("board: b\nunits: [{unit: cpu}, {unit: evta, launch_us: 75.5}]\n");
  REQUIRE(board);
  CHECK(board->units[1].launch_us == 75.5);
  const auto refused = parse("board: b\nunits: [{unit: cpu, launch_us: 1}]\n");
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().to_string(), Contains("line 2") && Contains("launch_us"));
}

TEST_CASE("A board has units, but not beyond reason") {
  CHECK(parse("board: b\nunits: " + list_of(16, "{unit: evta}") + "\n"));
  const auto many = parse("board: b\nunits: " + list_of(17, "{unit: evta}") + "\n");
  REQUIRE_FALSE(many);
  CHECK_THAT(many.error().to_string(), Contains("units: expected a list of at most 16"));
}

TEST_CASE("A board's units have names that files of costs can have, too") {
  const std::string longest(256, 'k');
  for (const std::string entry : {"unit: ", "unit: evta\n  configuration: ", "unit: cpu\n  instruction_set: "}) {
    CAPTURE(entry);
    const std::string board = "board: b\nunits:\n- " + entry + longest;
    CHECK(parse(board + "\n"));
    const auto refused = parse(board + "k\n");
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().to_string(), Contains("expected a text of at most 256 bytes, got 257"));
  }
}

}  // namespace nestrt::tools
