// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "nestrt/driver/costs.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

CostTable sample() {
  CostTable costs;
  const UnitKey cpu{"cpu", "x86-64-v3", 2}, evta{"evta", "", 1};
  costs.set(cpu, "Conv kernel=1,1: f32 1x2 -> f32 1x2", {12.345678901234567, CostSource::kMeasured});
  costs.set(cpu, "Pool", {0, CostSource::kUnknown});
  costs.set(evta, "Conv", {1e-3, CostSource::kModelled});
  costs.set_overhead(evta, {1.5, 2.5, 400});
  costs.set_clock(evta, 333.25);
  costs.set_overhead({"npu", "only overheads", 1}, {1, 0, 0});
  return costs;
}

// Returns the file content that write_costs() writes for sample().
std::string sample_text(const std::string& path) {
  REQUIRE(write_costs(path, sample()).ok());
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Status read_text(const TemporaryFolder& folder, const std::string& content) {
  return read_costs(folder.write("costs", std::as_bytes(std::span(content)))).error();
}

}  // namespace

TEST_CASE("Costs are unchanged after a round trip through a file") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/new/folder/costs";
  REQUIRE(write_costs(path, sample()).ok());
  const auto read = read_costs(path);
  REQUIRE(read);
  CHECK(read->units().size() == 2);
  CHECK(read->overheads().size() == 2);
  const WorkCost* cost = read->find({"cpu", "x86-64-v3", 2}, "Conv kernel=1,1: f32 1x2 -> f32 1x2");
  REQUIRE(cost != nullptr);
  CHECK(cost->microseconds == 12.345678901234567);
  CHECK(cost->source == CostSource::kMeasured);
  CHECK(read->find({"evta", "", 1}, "Conv")->source == CostSource::kModelled);
  CHECK(read->overhead({"evta", "", 1}).mb_per_s == 400);
  CHECK(read->clock_mhz({"evta", "", 1}) == 333.25);
  CHECK(read->clock_mhz({"cpu", "x86-64-v3", 2}) == 0);  // not set
  // No temporary file is left.
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path() + "/new/folder"), {}) == 1);
}

TEST_CASE("Cost files may have Windows newlines") {
  const TemporaryFolder folder;
  std::string content;
  for (const char character : sample_text(folder.path() + "/sample"))
    content += character == '\n' ? std::string("\r\n") : std::string(1, character);
  CHECK(read_text(folder, content).ok());
}

TEST_CASE("An invalid cost file is rejected with the line of the error") {
  const TemporaryFolder folder;
  const std::string good = sample_text(folder.path() + "/good");
  const std::string header = good.substr(0, good.find('\n') + 1);
  CHECK(read_text(folder, good).ok());
  CHECK(read_text(folder, header).ok());
  CHECK(read_text(folder, "").code() == Code::kInvalidArgument);
  CHECK(read_text(folder, "nestrt costs 99\n").code() == Code::kIncompatible);
  CHECK(read_text(folder, "nestrt costs 2 0.1.0\n").code() == Code::kIncompatible);
  CHECK(read_costs(folder.path() + "/none").error().code() == Code::kNotFound);
  CHECK(read_costs(folder.path()).error().code() == Code::kInvalidArgument);
  const std::string unit = "unit\tcpu\tisa\t1\n";
  for (const std::string& lines : {std::string("cost\t1\tmeasured\tConv\n"),
                                   std::string("unit\t\tisa\t1\n"),
                                   std::string("unit\tcpu\tisa\t0\n"),
                                   std::string("unit\tcpu\tisa\t99999999999\n"),
                                   std::string("unit\tcpu\n"),
                                   unit + "cost\t-1\tmeasured\tConv\n",
                                   unit + "cost\tnan\tmeasured\tConv\n",
                                   unit + "cost\tinf\tmeasured\tConv\n",
                                   unit + "cost\t1\tguessed\tConv\n",
                                   unit + "cost\t1\tmeasured\t\n",
                                   unit + "cost\t1x\tmeasured\tConv\n",
                                   unit + "overhead\t1\t2\n",
                                   unit + "overhead\t1\t2\t-3\n",
                                   unit + "else\n",
                                   unit + "kernels\t1.0\n",
                                   std::string("kernels\t\n"),
                                   unit + "clock\t0\n",
                                   unit + "clock\tnan\n",
                                   unit + "clock\t2000000\n",
                                   unit + "clock\t1\nclock\t1\n",
                                   std::string("clock\t1\n"),
                                   unit + "\n",
                                   unit + "cost\t1\tmeasured\tConv\ncost\t1\tmeasured\tConv\n"}) {
    CAPTURE(lines);
    const Status status = read_text(folder, header + lines);
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(std::string(status.message()).find("line ") != std::string::npos);
  }
}

TEST_CASE("A unit's kind and configuration are limited to 256 bytes when costs are read and written") {
  const TemporaryFolder folder;
  const std::string longest(256, 'k'), path = folder.path() + "/written";
  for (const UnitKey& unit : {UnitKey{longest, "", 1}, UnitKey{"cpu", longest, 1}}) {
    CostTable costs;
    costs.set(unit, "Conv", {1, CostSource::kMeasured});
    REQUIRE(write_costs(path, costs).ok());
    REQUIRE(read_costs(path));
    CHECK(read_costs(path)->find(unit, "Conv") != nullptr);
  }
  for (const UnitKey& unit : {UnitKey{longest + "k", "", 1}, UnitKey{"cpu", longest + "k", 1}}) {
    CostTable costs;
    costs.set(unit, "Conv", {1, CostSource::kMeasured});
    CHECK(write_costs(path, costs).code() == Code::kInvalidArgument);
    const Status status = read_text(folder, "nestrt costs 3\nunit\t" + unit.kind + "\t" + unit.configuration + "\t1\n");
    CHECK_THAT(status.to_string(), Contains("line 2") && Contains("256 bytes"));
  }
}

TEST_CASE("Costs measured with a different version's kernels are rejected unless the file contains no version") {
  const TemporaryFolder folder;
  const std::string good = sample_text(folder.path() + "/good");
  const size_t begin = good.find("kernels\t"), end = good.find('\n', begin) + 1;
  REQUIRE(begin == good.find('\n') + 1);
  const std::string header = good.substr(0, begin), costs = good.substr(end);
  CHECK(read_text(folder, header + "# a remark\n" + costs).ok());
  const Status other = read_text(folder, header + "kernels\t0.0.1\n" + costs);
  CHECK(other.code() == Code::kIncompatible);
  CHECK(std::string(other.message()).find("0.0.1") != std::string::npos);
}

TEST_CASE("The costs shipped with nestrt can be read") {
  for (const auto& entry : std::filesystem::directory_iterator(NESTRT_SOURCE_DIR "/boards/profiles")) {
    INFO(entry.path());
    const auto costs = read_costs(entry.path().string());
    REQUIRE(costs);
    CHECK_FALSE(costs->empty());
  }
}

TEST_CASE("Costs that a file cannot represent are not written") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/costs";
  const auto refusal = [&](const UnitKey& unit, std::string_view work, double microseconds) {
    CostTable costs;
    costs.set(unit, work, {microseconds, CostSource::kMeasured});
    const Status status = write_costs(path, costs);
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK_FALSE(std::filesystem::exists(path));
    return status.to_string();
  };
  CHECK_THAT(refusal({"cpu", "line\nend", 1}, "Conv", 1), Contains("its kind and configuration must be single lines"));
  CHECK_THAT(refusal({"cpu", "isa", 0}, "Conv", 1), Contains("threads at least 1"));
  CHECK_THAT(refusal({"cpu", "isa", 1}, "line\nend", 1), Contains("'line\\nend' is not a valid work name"));
  CHECK_THAT(refusal({"cpu", "isa", 1}, "Conv", -1), Contains("invalid cost of -1 us for 'Conv'"));
  CHECK_THAT(refusal({"cpu", "isa", 1}, "Conv", std::numeric_limits<double>::quiet_NaN()),
             Contains("invalid cost of nan us"));
  CostTable backwards = sample();
  backwards.set_clock({"evta", "", 1}, -1);
  CHECK_THAT(write_costs(path, backwards).to_string(), Contains("invalid clock of -1 MHz"));
  CHECK(write_costs(folder.path(), sample()).code() == Code::kIo);
}

}  // namespace nestrt::test
