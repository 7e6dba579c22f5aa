// SPDX-License-Identifier: Apache-2.0
// Tests nestrt compare on the command line.
#include <catch2/catch.hpp>

#include "test/support/plan/program.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/json.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;
using tools::Json;

// Results of nestrt bench with known times.
class Results {
 public:
  // Returns a file with 40 runs of `median` ms, give or take 1 %.
  std::string bench(const std::string& name, double median, const Json& other = {{"threads", 2}, {"macs", 7}}) const {
    Json json = other;
    Json times = Json::array();
    for (int i = 0; i < 40; ++i) times.push_back(median * (0.99 + 0.0005 * i));
    json.set("run_ms", times);
    return folder_.write_text(name, json.to_string());
  }
  std::string write(const std::string& name, const std::string& text) const { return folder_.write_text(name, text); }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

 private:
  TemporaryFolder folder_;
};

ProgramResult compare(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "compare");
  return run_program("nestrt", arguments);
}

TEST_CASE("nestrt compare fails if the new version is certainly slower than the limit") {
  const Results results;
  const std::string base = results.bench("base.json", 10), slower = results.bench("slower.json", 10.5);
  const ProgramResult found = compare({base, slower, "--json", results.path("change.json")});
  INFO(found.text);
  CHECK(found.exit_code == 1);
  CHECK_THAT(found.text, Contains("+5.0 %") && Contains("slower than the limit") && Contains("one process of each"));
  const auto json = tools::read_json(results.path("change.json"));
  REQUIRE(json);
  CHECK(json->number("ratio").value() == Approx(1.05).epsilon(0.001));
  CHECK(json->text("verdict") == "slower than the limit");
  CHECK(compare({base, slower, "--max-slowdown", "8%"}).exit_code == 0);
  CHECK_THAT(compare({slower, base}).text, Contains("faster"));
}

TEST_CASE("Pairs that disagree give an unclear verdict, which is not a failure") {
  const Results results;
  const std::string base = results.bench("base.json", 10);
  const ProgramResult found = compare(
      {base, results.bench("a.json", 10.1), base, results.bench("b.json", 12), base, results.bench("c.json", 9)});
  INFO(found.text);
  CHECK(found.exit_code == 0);
  CHECK_THAT(found.text, Contains("unclear") && Contains("measure more pairs"));
}

TEST_CASE("nestrt compare names the operators that changed most") {
  const Results results;
  const auto with_operators = [](double conv) {
    Json operators = Json::array();
    operators.push_back({{"name", "conv1"}, {"mean_ms", conv}});
    operators.push_back({{"name", "relu"}, {"mean_ms", 1}});
    return Json{{"threads", 1}, {"operators", operators}};
  };
  const ProgramResult found =
      compare({results.bench("a.json", 5, with_operators(4)), results.bench("b.json", 6, with_operators(5))});
  INFO(found.text);
  CHECK(found.text.find("conv1") < found.text.find("relu"));
}

TEST_CASE("Files that cannot be compared are refused") {
  const Results results;
  const std::string base = results.bench("base.json", 10);
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& part) {
    const ProgramResult result = compare(arguments);
    INFO(result.text);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.text, Contains(part));
  };
  refused({base}, "expected pairs of files");
  refused({base, results.bench("four.json", 10, {{"threads", 4}, {"macs", 7}})}, "used 2 threads");
  refused({base, results.bench("net.json", 10, {{"threads", 2}, {"macs", 8}})}, "different networks");
  refused({base, results.write("text", "no JSON")}, "is not JSON");
  refused({base, results.write("list.json", "[1]")}, "not an object");
  refused({base, results.write("none.json", R"({"run_ms": [1, "2"]})")}, "no list of positive times");
  refused({base, base, "--max-slowdown", "much"}, "expected a percentage");
  refused({base, base, "--json", base}, base);
}

TEST_CASE("nestrt compare reads what nestrt bench writes") {
  const Results results;
  const TemporaryFolder folder;
  const std::string plan = folder.write("plan.nest", colour_plan().build().bytes());
  for (const char* name : {"a.json", "b.json"})
    REQUIRE(run_program("nestrt", {"bench", plan, "--runs", "20", "--json", results.path(name)}).exit_code == 0);
  CHECK_THAT(compare({results.path("a.json"), results.path("b.json")}).text, Contains("95 %:"));
}

}  // namespace
}  // namespace nestrt::test
