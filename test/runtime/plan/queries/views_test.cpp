// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/queries/views.h"

#include <catch2/catch.hpp>

namespace nestrt {
namespace {

TensorSpec tensor(const Shape& shape, Layout layout = Layout::kPlain, DataType type = DataType::kF32) {
  TensorSpec spec;
  spec.type = type;
  spec.shape = shape;
  spec.layout = layout;
  return spec;
}

TEST_CASE("A slice is contiguous if all dimensions before its axis are 1") {
  CHECK(offset_of_part(tensor({1, 8, 2, 3}), tensor({1, 3, 2, 3}), 1, 4) == 4u * 6 * 4);
  CHECK(offset_of_part(tensor({4, 3}, Layout::kPlain, DataType::kS8), tensor({2, 3}, Layout::kPlain, DataType::kS8), 0,
                       2) == 6u);
  CHECK_FALSE(offset_of_part(tensor({2, 8, 2, 3}), tensor({2, 3, 2, 3}), 1, 4));
}

TEST_CASE("A slice of blocked channels begins at a block boundary") {
  const Layout blocked = Layout::kBlocked16;
  CHECK(offset_of_part(tensor({1, 48, 2}, blocked), tensor({1, 16, 2}, blocked), 1, 32) == 32u * 2 * 4);
  CHECK_FALSE(offset_of_part(tensor({1, 48, 2}, blocked), tensor({1, 16, 2}, blocked), 1, 8));
  CHECK_FALSE(offset_of_part(tensor({1, 48, 2}, blocked), tensor({1, 48, 1}, blocked), 2, 1));
}

TEST_CASE("A slice of blocked channels ends at a block boundary or at the end of the tensor") {
  const TensorSpec whole = tensor({1, 40, 2}, Layout::kBlocked16);
  const auto offset_of = [&](int64_t start, int64_t count) {
    return offset_of_part(whole, tensor({1, count, 2}, Layout::kBlocked16), 1, start);
  };
  CHECK(offset_of(0, 32) == 0u);
  CHECK(offset_of(16, 24) == 16u * 2 * 4);
  CHECK_FALSE(offset_of(0, 24));  // its padding would be channels 24 to 31
  CHECK_FALSE(offset_of(16, 20));
}

TEST_CASE("Tensors that differ in more than one axis or in type or layout are not slices") {
  const TensorSpec whole = tensor({1, 32, 2});
  CHECK_FALSE(offset_of_part(whole, tensor({1, 16, 1}), 1, 0));
  CHECK_FALSE(offset_of_part(whole, tensor({1, 16, 2}, Layout::kPlain, DataType::kS32), 1, 0));
  CHECK_FALSE(offset_of_part(whole, tensor({1, 16, 2}, Layout::kBlocked16), 1, 0));
  CHECK_FALSE(offset_of_part(whole, tensor({16, 2}), 1, 0));
}

TEST_CASE("Slices outside their tensor have no offset") {
  const TensorSpec whole = tensor({1, 32, 2}), part = tensor({1, 16, 2});
  CHECK(offset_of_part(whole, part, 1, 16));
  for (const int64_t start : {int64_t{-1}, int64_t{17}, INT64_MAX}) CHECK_FALSE(offset_of_part(whole, part, 1, start));
  for (const int axis : {-1, 3}) CHECK_FALSE(offset_of_part(whole, part, axis, 0));
}

TEST_CASE("A reshape of a plain tensor shares its bytes") {
  const ops::Attributes reshape = ops::Reshape{.shape = {6}};
  CHECK(offset_in_input(reshape, tensor({2, 3}), tensor({6})) == 0u);
  CHECK_FALSE(offset_in_input(reshape, tensor({2, 3}), tensor({5})));
  CHECK_FALSE(offset_in_input(reshape, tensor({1, 16}, Layout::kBlocked16), tensor({16})));
}

TEST_CASE("A slice with steps of 1 is inside its input") {
  const auto slice = [](std::vector<int64_t> start, std::vector<int64_t> step, std::vector<int64_t> shape) {
    return ops::Attributes(ops::Slice{.start = std::move(start), .step = std::move(step), .shape = std::move(shape)});
  };
  CHECK(offset_in_input(slice({0, 2}, {1, 1}, {1, 3}), tensor({1, 8}), tensor({1, 3})) == 8u);
  CHECK_FALSE(offset_in_input(slice({0, 2}, {1, 2}, {1, 3}), tensor({1, 8}), tensor({1, 3})));
  CHECK_FALSE(offset_in_input(slice({1, 0}, {1, 1}, {1, 8}), tensor({1, 8}), tensor({1, 8})));
}

TEST_CASE("Outputs of other operators are not inside their input") {
  CHECK_FALSE(offset_in_input(ops::Softmax(), tensor({4}), tensor({4})));
}

TEST_CASE("The axis of a concatenation is counted from the front") {
  CHECK(axis_of(ops::Concat{.axis = -1}, 4) == 3);
  CHECK(axis_of(ops::Concat{.axis = 1}, 4) == 1);
}

}  // namespace
}  // namespace nestrt
