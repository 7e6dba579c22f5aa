// SPDX-License-Identifier: Apache-2.0
#include "tools/support/board/board.h"

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/driver/costs.h"
#include "nestrt/log.h"
#include "test/support/process/temporary_folder.h"

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

TEST_CASE("A board names each cost file once, up to a limit") {
  const auto with_profiles = [](const std::string& list) {
    return parse("board: b\nunits: [{unit: cpu}]\nprofiles: " + list + "\n");
  };
  const auto board = with_profiles("[a.costs, b.costs]");
  REQUIRE(board);
  CHECK(board->profiles == std::vector<std::string>{"a.costs", "b.costs"});
  const auto repeated = with_profiles("[a.costs, b.costs, a.costs]");
  REQUIRE_FALSE(repeated);
  CHECK_THAT(repeated.error().to_string(), Contains("line 3") && Contains("'a.costs' is listed twice"));
  const auto many = with_profiles(list_of(17, "x"));
  REQUIRE_FALSE(many);
  CHECK_THAT(many.error().to_string(), Contains("at most 16 files"));
}

TEST_CASE("A board with a base specifies only the differences") {
  const test::TemporaryFolder folder;
  const auto accept = [](BoardUnit*) { return Status(); };
  folder.write_text("base.yaml",
                    "board: b\nmemory: {mb_per_s: 9000}\nunits: [{unit: cpu, threads: 4}, {unit: evta, clock_mhz: 200, "
                    "start_us: 4}]\nprofiles: [a.costs]\n");
  const std::string path = folder.write_text(
      "changed.yaml", "base: base.yaml\nboard: c\nunits: [{unit: evta, start_us: 10, mb_per_s: 1500}]\n");
  const auto board = read_board(path, accept);
  if (!board) FAIL(board.error().to_string());
  CHECK(board->name == "c");
  CHECK(board->memory_mb_per_s == 9000);
  CHECK(board->profiles == std::vector<std::string>{"a.costs"});
  REQUIRE(board->units.size() == 2);
  CHECK(board->units[0].threads == 4);
  CHECK(board->units[1].clock_mhz == 200);
  CHECK(board->units[1].overhead.start_us == 10);
  CHECK(files_of_board(path).size() >= 2);
  for (const char* const text :
       {"base: missing.yaml\nboard: c\n", "base: changed.yaml\nboard: c\n", "base: base.yaml\nboard: c\nspeed: 1\n",
        "base: base.yaml\nboard: c\nunits: 3\n", "base: base.yaml\nboard: c\nunits: [{unit: evta, nothing: 1}]\n",
        "base: base.yaml\nboard: c\nunits: [{unit: evta}, {unit: evta}]\n", "base: [1]\nboard: c\n"}) {
    CAPTURE(text);
    CHECK_FALSE(read_board(folder.write_text("wrong.yaml", text), accept));
  }
}

TEST_CASE("The ZCU102 without a coherent port differs from the coherent one only in its transfers to and from EVTA") {
  const auto accept = [](BoardUnit*) { return Status(); };
  const auto coherent = read_board(*find_board("zcu102"), accept),
             other = read_board(*find_board("zcu102_noncoherent"), accept);
  REQUIRE((coherent && other));
  CHECK(coherent->units[1].overhead.mb_per_s == 0);
  CHECK(other->units[1].overhead.mb_per_s > 0);
  CHECK(other->units[1].clock_mhz == coherent->units[1].clock_mhz);
  CHECK(other->units[0].estimates.kinds.size() == coherent->units[0].estimates.kinds.size());
  CHECK(*profiles_of(*other, *find_board("zcu102_noncoherent")) == *profiles_of(*coherent, *find_board("zcu102")));
}

TEST_CASE("The coherent and the non-coherent variant of a board differ only in its transfers to and from EVTA") {
  const auto accept = [](BoardUnit*) { return Status(); };
  const auto zcu102 = read_board(*find_board("zcu102"), accept),
             other_zcu102 = read_board(*find_board("zcu102_noncoherent"), accept);
  REQUIRE((zcu102 && other_zcu102));
  for (const auto& [coherent_name, other_name] :
       {std::pair("zcu104", "zcu104_noncoherent"), {"kv260_coherent", "kv260"}, {"kr260_coherent", "kr260"}}) {
    CAPTURE(coherent_name);
    const auto coherent = read_board(*find_board(coherent_name), accept),
               other = read_board(*find_board(other_name), accept);
    REQUIRE((coherent && other));
    CHECK(other->name == other_name);
    CHECK(coherent->units[1].clock_mhz == other->units[1].clock_mhz);
    CHECK(coherent->units[1].configuration == other->units[1].configuration);
    CHECK(coherent->units[1].overhead.mb_per_s == 0);
    CHECK(coherent->units[1].overhead.start_us == zcu102->units[1].overhead.start_us);
    CHECK(other->units[1].overhead.start_us == other_zcu102->units[1].overhead.start_us);
    CHECK(other->units[1].overhead.mb_per_s == other_zcu102->units[1].overhead.mb_per_s);
  }
}

TEST_CASE("A board that is not supported is rejected with the reason") {
  for (const auto& [name, reason] :
       {std::pair("pynq-z2", "32-bit Cortex-A9"), std::pair("vck190", "NoC of a Versal")}) {
    const auto board = find_board(name);
    REQUIRE_FALSE(board);
    CHECK(board.error().code() == Code::kIncompatible);
    CHECK(board.error().message().find(reason) != std::string_view::npos);
  }
}

TEST_CASE("The boards with the K26 module differ only in their names") {
  const auto accept = [](BoardUnit*) { return Status(); };
  const auto kv260 = read_board(*find_board("kv260"), accept), kr260 = read_board(*find_board("kr260"), accept);
  REQUIRE((kv260 && kr260));
  CHECK(kr260->name == "kr260");
  CHECK(kr260->units[1].overhead.start_us == kv260->units[1].overhead.start_us);
  CHECK(kr260->units[1].overhead.mb_per_s == kv260->units[1].overhead.mb_per_s);
}

TEST_CASE("A board specifies the shared resources and waiting costs of its units") {
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

TEST_CASE("The estimates of a CPU have rates by kind of work and for other work") {
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
                                          {"{kinds: {other: {}, s8 spacial: {}}}", "unknown kind of work 's8 spacial'"},
                                          {"{kinds: {other: {}, Gemm: {}}}", "unknown kind of work 'Gemm'"},
                                          {"{kinds: {other: {}, Concat: {}, Concat: {}}}", "'Concat' is listed twice"},
                                          {"{fork_us: 1}", "kinds"},
                                          {"1", "estimates: expected"}}) {
    const auto refused = with_estimates(text);
    INFO(text);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().to_string(), Contains(part));
  }
  CHECK_FALSE(parse("board: b\nunits: [{unit: evta, estimates: {kinds: {other: {begin_us: 1}}}}]\n"));
}

TEST_CASE("Estimates scale with the clock of a board, except the memory rate") {
  const auto rates_at = [](const std::string& clock) {
    const auto board = parse("board: b\nunits: [{unit: cpu" + clock +
                             ", estimates: {clock_mhz: 1000, memory_bytes_per_us: 500, fork_us: 4, kinds: {other: "
                             "{begin_us: 2, work_per_us: 30, results_per_us: 40}}}}]\n");
    REQUIRE(board);
    return board->units[0].estimates;
  };
  for (const std::string clock : {"", ", clock_mhz: 1000"}) {
    CAPTURE(clock);
    CHECK(rates_at(clock).fork_us == 4);
    CHECK(rates_at(clock).kinds.at("other").work_per_us == 30);
  }
  const HostRates twice = rates_at(", clock_mhz: 2000");
  CHECK(twice.memory_bytes_per_us == 500);
  CHECK(twice.fork_us == 2);
  CHECK(twice.kinds.at("other").begin_us == 1);
  CHECK(twice.kinds.at("other").work_per_us == 60);
  CHECK(twice.kinds.at("other").results_per_us == 80);
}

TEST_CASE("Costs at another clock are scaled to the board's clock with a warning") {
  const test::TemporaryFolder folder;
  const UnitKey cpu{"cpu", "neon", 4}, evta{"evta", "c", 1};
  CostTable costs;
  costs.set(cpu, "Conv", {10, CostSource::kMeasured});
  costs.set(evta, "Conv", {30, CostSource::kMeasured});
  costs.set_clock(cpu, 1199.9);
  costs.set_clock(evta, 100);
  const std::string path = folder.path() + "/costs";
  REQUIRE(write_costs(path, costs).ok());
  const auto at = [&](const std::string& cpu_clock, const std::string& evta_clock) {
    const auto board = parse("board: b\nunits:\n- {unit: cpu, instruction_set: neon" + cpu_clock +
                             "}\n- {unit: evta, configuration: c" + evta_clock + "}\n");
    REQUIRE(board);
    auto read = read_profiles({path}, board->units);
    REQUIRE(read);
    return *read;
  };
  std::vector<std::string> warnings;
  set_log_hook([&](LogLevel, std::string_view message) { warnings.emplace_back(message); });
  CHECK(at("", "").find(evta, "Conv")->microseconds == 30);
  // a rounding difference, not another clock
  CHECK(at(", clock_mhz: 1200", ", clock_mhz: 100").find(cpu, "Conv")->microseconds == 10);
  CHECK(warnings.empty());
  const CostTable faster = at(", clock_mhz: 1200", ", clock_mhz: 300");
  CHECK(faster.find(evta, "Conv")->microseconds == Approx(10));
  CHECK(faster.find(cpu, "Conv")->microseconds == 10);
  CHECK(faster.clock_mhz(evta) == 300);
  set_log_hook({});
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], Contains("costs of 'evta' at 100 MHz, scaled to the board's 300 MHz"));
}

TEST_CASE("Only accelerators have launch and widening costs") {
  struct Case {
    const char* key;
    double BoardUnit::*value;
  };
  for (const Case& c : {Case{"launch_us", &BoardUnit::launch_us}, Case{"widen_mb_per_s", &BoardUnit::widen_mb_per_s}}) {
    CAPTURE(c.key);
    const auto board = parse("board: b\nunits: [{unit: cpu}, {unit: evta, " + std::string(c.key) + ": 75.5}]\n");
    REQUIRE(board);
    CHECK(board->units[1].*c.value == 75.5);
    const auto refused = parse("board: b\nunits: [{unit: cpu, " + std::string(c.key) + ": 1}]\n");
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().to_string(), Contains("line 2") && Contains(c.key));
  }
}

TEST_CASE("A rate is 0 or within its limits") {
  for (const std::string key : {"mb_per_s", "widen_mb_per_s"}) {
    const auto with = [&](const std::string& rate) {
      return parse(fmt::format("board: b\nunits: [{{unit: cpu}}, {{unit: evta, {}: {}}}]\n", key, rate));
    };
    CHECK(with("0"));
    CHECK(with("0.001"));
    const auto refused = with("1e-300");
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().to_string(), Contains("line 2") && Contains(key + ": expected 0, or 0.001 to 1000000"));
  }
}

TEST_CASE("A board has at least one unit, up to a limit") {
  std::string units;
  for (int unit = 0; unit < 16; ++unit) units += "- {unit: u" + std::to_string(unit) + "}\n";
  CHECK(parse("board: b\nunits:\n" + units));
  const auto twice = parse("board: b\nunits: " + list_of(2, "{unit: evta}") + "\n");
  REQUIRE_FALSE(twice);
  CHECK_THAT(twice.error().to_string(), Contains("unit 'evta' is listed twice; use 'instances'"));
  const auto many = parse("board: b\nunits: " + list_of(17, "{unit: evta}") + "\n");
  REQUIRE_FALSE(many);
  CHECK_THAT(many.error().to_string(), Contains("units: expected a list of at most 16"));
}

TEST_CASE("Units of a board have names that cost files support") {
  const std::string longest(256, 'k');
  for (const std::string entry : {"unit: ", "unit: evta\n  configuration: "}) {
    CAPTURE(entry);
    const std::string board = "board: b\nunits:\n- " + entry + longest;
    CHECK(parse(board + "\n"));
    const auto refused = parse(board + "k\n");
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().to_string(), Contains("expected text of at most 256 bytes, got 257"));
  }
}

TEST_CASE("The CPU of a board has a known instruction set") {
  const std::string board = "board: b\nunits:\n- {unit: cpu, instruction_set: ";
  CHECK(parse(board + "neon}\n"));
  const auto refused = parse(board + "neno}\n");
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().to_string(), Contains("line 3") && Contains("available: portable, neon"));
}

}  // namespace nestrt::tools
