// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/passes.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::Node;
using compiler::ValueId;
using ops::BinaryKind;

struct Product {
  Graph graph;
  ValueId sums = compiler::kNoValue, scale = compiler::kNoValue;
};

// A dynamically quantized x with three columns, times s8 weights with `columns` columns.
Product integer_product(int64_t columns) {
  Product p;
  const ValueId x = add_input(p.graph, "x", {2, 3});
  Node* const quantize = p.graph.add_node("quantize", ops::DynamicQuantize(), {x}, {"q", "q_scale", "q_zero"}).value();
  compiler::Bytes weights;
  for (int64_t i = 0; i < 3 * columns; ++i) weights.push_back(static_cast<std::byte>(i * 37 % 256));
  const ValueId w = p.graph.add_constant("w", DataType::kS8, {3, columns}, std::move(weights));
  p.scale = quantize->outputs[1];
  p.sums = add(p.graph, ops::MatMulInteger(), {quantize->outputs[0], w, quantize->outputs[2]});
  return p;
}

ValueId as_floats(Product& p) { return add(p.graph, ops::Cast{.to = DataType::kF32}, {p.sums}); }

size_t nodes_left(Product& p, ValueId output) {
  p.graph.outputs = {output};
  p.graph.tidy();
  return nodes_left_by(&compiler::fuse_scales, p.graph, 1e-6);
}

}  // namespace

TEST_CASE("Scales of both operands and a bias become part of the product, in either order") {
  for (const bool swapped : {false, true})
    for (const int64_t count : {1, 4}) {
      Product p = integer_product(4);
      const ValueId each = p.graph.add_constant("each", std::vector<float>(static_cast<size_t>(count), 0.25f), {count});
      const ValueId bias = p.graph.add_constant("bias", std::vector<float>{1, 2, 3, 4}, {1, 4});
      const ValueId scales = add(p.graph, binary_attributes(BinaryKind::kMul),
                                 swapped ? std::vector{each, p.scale} : std::vector{p.scale, each});
      const ValueId reals = as_floats(p);
      const ValueId scaled = add(p.graph, binary_attributes(BinaryKind::kMul),
                                 swapped ? std::vector{scales, reals} : std::vector{reals, scales});
      const ValueId y = add(p.graph, binary_attributes(BinaryKind::kAdd),
                            swapped ? std::vector{bias, scaled} : std::vector{scaled, bias}, "y");
      CHECK(nodes_left(p, y) == 2);
    }
}

TEST_CASE("A scale that is not a product becomes the scale of the second operand") {
  Product p = integer_product(4);
  const ValueId y = add(p.graph, binary_attributes(BinaryKind::kMul), {as_floats(p), scalar(p.graph, 0.5f)}, "y");
  CHECK(nodes_left(p, y) == 2);
}

TEST_CASE("A product of one column has one scale and a bias of one element") {
  Product p = integer_product(1);
  const ValueId scaled = add(p.graph, binary_attributes(BinaryKind::kMul), {as_floats(p), p.scale});
  const ValueId y = add(p.graph, binary_attributes(BinaryKind::kAdd), {scaled, scalar(p.graph, 3)}, "y");
  CHECK(nodes_left(p, y) == 2);
}

TEST_CASE("Factors by row, factors that enlarge the result, and sums with other readers are not fused") {
  Product by_row = integer_product(4);
  const ValueId rows = by_row.graph.add_constant("rows", std::vector<float>{1, 2}, {2, 1});
  const ValueId y = add(by_row.graph, binary_attributes(BinaryKind::kMul), {as_floats(by_row), rows}, "y");
  CHECK(nodes_left(by_row, y) == 4);
  Product larger = integer_product(4);
  const ValueId many = larger.graph.add_constant("many", std::vector<float>(3, 1.0f), {3, 1, 1});
  const ValueId z = add(larger.graph, binary_attributes(BinaryKind::kMul), {as_floats(larger), many}, "z");
  CHECK(nodes_left(larger, z) == 4);
  Product twice = integer_product(4);
  const ValueId reals = as_floats(twice);
  const ValueId scaled = add(twice.graph, binary_attributes(BinaryKind::kMul), {reals, twice.scale});
  const ValueId sum = add(twice.graph, binary_attributes(BinaryKind::kAdd), {scaled, reals}, "sum");
  CHECK(nodes_left(twice, sum) == 5);
}

}  // namespace nestrt::test
