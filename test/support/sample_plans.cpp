#include "test/support/sample_plans.h"

namespace nestrt::test {

PlanBuilder relu_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {2, 3});
  const int y = builder.output("y", {2, 3});
  builder.op("relu", unary(plan::UnaryKind::relu), {x}, {y});
  return builder;
}

PlanBuilder branches_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {2, 8});
  const int c = builder.constant<float>("c", {8}, {1, 2, 3, 4, 5, 6, 7, 8});
  const int left = builder.arena("left", {2, 8});
  const int right = builder.arena("right", {2, 8});
  const int y = builder.output("y", {2, 8});
  builder.op("left", unary(plan::UnaryKind::relu), {x}, {left});
  builder.branch();
  builder.op("right", binary(plan::BinaryKind::mul), {x, c}, {right});
  builder.branch();
  builder.op("join", binary(plan::BinaryKind::add), {left, right}, {y});
  builder.branch();
  return builder;
}

PlanBuilder views_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 4});
  const int whole = builder.arena("whole", {1, 8});
  const int relu = builder.view("relu", whole, {1, 4});
  const int neg = builder.view("neg", whole, {1, 4}, 16);
  const int tall = builder.view("tall", whole, {8, 1});
  const int tail = builder.view("tail", whole, {3, 1}, 20);
  const int y = builder.output("y", {8, 1});
  const int z = builder.output("z", {3, 1});
  builder.op("relu", unary(plan::UnaryKind::relu), {x}, {relu});
  builder.op("neg", unary(plan::UnaryKind::neg), {x}, {neg});
  plan::ConcatT concat;
  concat.axis = 1;
  builder.op("concat", concat, {relu, neg}, {whole});
  plan::ReshapeT reshape;
  reshape.shape = {8, 1};
  builder.op("reshape", reshape, {whole}, {tall});
  plan::SliceT slice;
  slice.start = {5, 0};
  slice.step = {1, 1};
  slice.shape = {3, 1};
  builder.op("slice", slice, {tall}, {tail});
  builder.op("double", binary(plan::BinaryKind::add), {tall, tall}, {y});
  builder.op("abs", unary(plan::UnaryKind::abs), {tail}, {z});
  return builder;
}

}  // namespace nestrt::test
