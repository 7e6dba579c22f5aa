// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/plan_file.h"

#include <catch2/catch.hpp>

#include "test/compiler-lite/import/model_builder.h"

namespace nestrt::compiler {
namespace {

using Catch::Matchers::Contains;
using Operators = std::vector<uint32_t>;

// Returns x -> stem -> left:0 -> join, stem -> right -> join -> head. One name contains ':', which NEST-C's
// files do not support.
Graph diamond() {
  test::ModelBuilder model;
  model.input("x", {1, 4}).output("y");
  model.node("Relu", {"x"}, {"s"}, "stem");
  model.node("Relu", {"s"}, {"l"}, "left:0");
  model.node("Tanh", {"s"}, {"r"}, "right");
  model.node("Add", {"l", "r"}, {"j"}, "join");
  model.node("Relu", {"j"}, {"y"}, "head");
  auto graph = model.import();
  REQUIRE(graph);
  return std::move(*graph);
}

std::vector<PartSpec> parsed(const std::string& text) {
  auto parts = parse_part_plan(text, "PARTS.yaml", diamond());
  INFO(parts.error().to_string());
  REQUIRE(parts);
  return std::move(*parts);
}

std::string refusal_of_plan(const std::string& text) {
  const auto parts = parse_part_plan(text, "PARTS.yaml", diamond());
  REQUIRE_FALSE(parts);
  CHECK(parts.error().code() == Code::kInvalidArgument);
  return std::string(parts.error().message());
}

}  // namespace

TEST_CASE("A part lists its operators by the model's names or by NEST-C's") {
  const auto parts =
      parsed("parts:\n- {name: a, operators: [stem, 'left:0']}\n- {name: b, backend: NPU, operators: left_0}\n");
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].name == "a");
  CHECK(parts[0].backend == "CPU");
  CHECK(parts[0].operators == Operators{0, 1});
  CHECK(parts[1].backend == "NPU");
  CHECK(parts[1].operators == Operators{1});
}

TEST_CASE("A range consists of all operators on the paths between its ends") {
  CHECK(parsed("parts:\n- {name: a, from: stem, to: join}\n")[0].operators == Operators{0, 1, 2, 3});
  CHECK(parsed("parts:\n- {name: a, from: [left_0, right], to: [join]}\n")[0].operators == Operators{1, 2, 3});
  CHECK(parsed("parts:\n- {name: a, from: right, to: head}\n")[0].operators == Operators{2, 3, 4});
}

TEST_CASE("The keyword all selects the whole model") {
  CHECK(parsed("parts:\n- {name: a, operators: all}\n")[0].operators == Operators{0, 1, 2, 3, 4});
}

TEST_CASE("A NEST-C partition plan that places every operator is read") {
  const auto parts = parsed(
      "---\nfuncName: 'd'\nnumOfPartitions: 2\nbackendNames: 'CPU:VTA-0'\npartitionNames: 'p0:p1'\n"
      "nodeToPartition: 'stem-0:left_0-1:right-1:join-1:head-0'\nlogicalIDs: '0:1'\nparallelPartitions: ''\n...\n");
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].operators == Operators{0, 4});
  CHECK(parts[1].name == "p1");
  CHECK(parts[1].backend == "VTA-0");
  CHECK(parts[1].operators == Operators{1, 2, 3});
}

TEST_CASE("Plans that do not match the model or the format are rejected with the reason") {
  const std::pair<const char*, const char*> wrong[] = {
      {"parts:\n- {name: a, operators: [toaster]}\n", "no operator 'toaster'"},
      {"parts:\n- {name: a, from: head, to: stem}\n", "no path leads"},
      {"parts:\n- {name: a, from: head}\n", "to"},
      {"parts:\n- {name: a}\n", "either 'operators', or 'from' and 'to'"},
      {"parts:\n- {name: a, operators: [stem], from: stem}\n", "either 'operators', or 'from' and 'to'"},
      {"parts:\n- {name: ../a, operators: all}\n", "letters, digits"},
      {"parts:\n- {name: a, operators: {stem: 1}}\n", "expected operator names"},
      {"parts: []\n", "expected a list of parts"},
      {"part: []\n", "part"},
      {"[]\n", "expected {parts"},
      {"---\nfuncName: 'd'\nnumOfPartitions: 1\nbackendNames: 'CPU'\npartitionNames: 'p0'\nnodeToPartition: 'stem-0'\n"
       "logicalIDs: '0'\nparallelPartitions: ''\n...\n",
       "does not place 'left_0'"},
      {"---\nfuncName: 'd'\nnumOfPartitions: 1\nbackendNames: 'CPU'\npartitionNames: 'p0'\nnodeToPartition: 'oven-0'\n"
       "logicalIDs: '0'\nparallelPartitions: ''\n...\n",
       "no operator 'oven'"},
  };
  for (const auto& [text, message] : wrong) {
    INFO(text);
    CHECK_THAT(refusal_of_plan(text), Contains(message));
  }
}

}  // namespace nestrt::compiler
