// SPDX-License-Identifier: Apache-2.0
#include "tools/support/nest_c/nest_c_partition.h"

#include <catch2/catch.hpp>

#include "test/tools/support/nest_c/partition_file.h"

namespace nestrt::tools {
namespace {

using Catch::Matchers::Contains;
using test::PartitionDamage;
using test::PartitionFile;

void expect_refused(const std::string& text, const std::string& why) {
  const auto partitions = parse_nest_c_partition(text, "p.yaml");
  INFO(text);
  REQUIRE_FALSE(partitions);
  CHECK(partitions.error().code() == Code::kInvalidArgument);
  CHECK_THAT(partitions.error().to_string(), Contains(why));
}

}  // namespace

TEST_CASE("Writing a partition plan restores the text that was read") {
  const auto partitions = parse_nest_c_partition(PartitionFile().text(), "p.yaml");
  REQUIRE(partitions);
  const auto again = parse_nest_c_partition(partitions->to_yaml(), "p.yaml");
  REQUIRE(again);
  CHECK(partitions->to_yaml() == again->to_yaml());
  CHECK(again->function == "diamond");
  CHECK(again->partitions[2].backend == "VTA-1");
  CHECK(again->partitions[2].logical_id == 2);
  CHECK(again->nodes[3] == std::pair<std::string, uint32_t>("right_3", 3));
  CHECK(again->groups == std::vector<std::vector<uint32_t>>{{1, 2}});
}

TEST_CASE("Invalid partition plans are rejected with the line") {
  for (const char* text : {"", "[", "- a", "funcName: {", "a: b", "funcName: f\nfuncName: g", "\x01"})
    CHECK_FALSE(parse_nest_c_partition(text, "p.yaml"));
  expect_refused("funcName: f\nnumber: 3\n", "line 2: 'number' is not a known key");
  expect_refused("funcName: f\n", "'numOfPartitions' is missing");
  const PartitionDamage damages[] = {
      {&PartitionFile::count, "0", "line 3: numOfPartitions: expected a number from 1"},
      {&PartitionFile::count, "5", "line 5: partitionNames has 4 items, but numOfPartitions is 5"},
      {&PartitionFile::backends, "CPU:VTA-0", "line 4: backendNames has 2 items"},
      {&PartitionFile::backends, "CPU::VTA-0:CPU", "a name on both sides of each ':'"},
      {&PartitionFile::names, "p0:p1:p1:p3", "'p1' is listed twice"},
      {&PartitionFile::ids, "0:1:2:x", "line 7: logicalIDs: expected a number"},
      {&PartitionFile::nodes, "join", "line 6: nodeToPartition: expected NODE-PARTITION"},
      {&PartitionFile::nodes, "-1", "expected NODE-PARTITION"},
      {&PartitionFile::nodes, "join-4", "line 6: nodeToPartition: 'join-4': expected a number from 0 to 3, got 4"},
      {&PartitionFile::nodes, "", "expected NODE-PARTITION"},
      {&PartitionFile::groups, "(p1||p7)",
       "line 8: parallelPartitions: '(p1||p7)': partitionNames does not contain 'p7'"},
      {&PartitionFile::groups, "(p1||p2):(p2||p3)", "'p2' is listed twice"},
  };
  for (const PartitionDamage& damage : damages) expect_refused(changed(damage.line, damage.text).text(), damage.why);
  for (const char* text : {"(p1)", "p1||p2", "(", ")", "()", "(p1||p2", ":"})
    expect_refused(changed(&PartitionFile::groups, text).text(), "parallelPartitions: ");
}

}  // namespace nestrt::tools
