// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/tuning/patches.h"

#include <catch2/catch.hpp>

#include "test/compiler-lite/graph_tools.h"

namespace nestrt::compiler {
namespace {

// Returns the patch of an output element.
std::vector<float> patch_of(const PatchReader& reader, const std::vector<float>& input, int64_t index) {
  std::vector<float> patch(static_cast<size_t>(reader.patch_length()));
  reader.read(input, index, patch.data());
  return patch;
}

TEST_CASE("The patches of a Conv are its receptive fields, by channel and tap, with zeros in the padding") {
  Graph graph;
  const ValueId x = test::add_input(graph, "x", {1, 2, 3, 3});
  const ValueId w = graph.add_constant("w", std::vector<float>(2 * 1 * 2 * 2, 1), {2, 1, 2, 2});
  ops::Conv conv = test::conv_attributes({2, 2}, 0, 2, 2);
  conv.pad_begin = {1, 0};
  conv.pad_end = {0, 1};
  const auto node = graph.add_node("conv", conv, {x, w}, {"y"});
  INFO(node.error().to_string());
  REQUIRE(node);
  const PatchReader reader(graph, **node);
  CHECK(reader.groups() == 2);
  CHECK(reader.group_length() == 4);
  REQUIRE(reader.num_patches() == 4);
  std::vector<float> input;
  for (int i = 1; i <= 18; ++i) input.push_back(static_cast<float>(i));
  CHECK(patch_of(reader, input, 0) == std::vector<float>{0, 0, 1, 2, 0, 0, 10, 11});
  CHECK(patch_of(reader, input, 3) == std::vector<float>{6, 0, 9, 0, 15, 0, 18, 0});
}

TEST_CASE("The patches of a Dense are its rows") {
  Graph graph;
  const ValueId x = test::add_input(graph, "x", {2, 3});
  const ValueId w = graph.add_constant("w", std::vector<float>(3 * 4, 1), {3, 4});
  const auto node = graph.add_node("dense", ops::Dense{}, {x, w}, {"y"});
  REQUIRE(node);
  const PatchReader reader(graph, **node);
  CHECK(reader.groups() == 1);
  CHECK(reader.num_patches() == 2);
  CHECK(patch_of(reader, {1, 2, 3, 4, 5, 6}, 1) == std::vector<float>{4, 5, 6});
}

}  // namespace
}  // namespace nestrt::compiler
