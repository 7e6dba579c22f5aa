// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv_transpose/conv_transpose.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "test/support/evta/sum_check.h"
#include "test/support/kernel/kernel_runner.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

ops::ConvTranspose conv_transpose_attributes(int rank, int kernel, int stride = 1, int pad = 0,
                                             int output_padding = 0) {
  ops::ConvTranspose conv;
  const auto n = static_cast<size_t>(rank);
  conv.kernel.assign(n, kernel);
  conv.stride.assign(n, stride);
  conv.dilation.assign(n, 1);
  conv.pad_begin.assign(n, pad);
  conv.pad_end.assign(n, pad);
  conv.output_padding.assign(n, output_padding);
  return conv;
}

}  // namespace

TEST_CASE("ConvTranspose spreads every input over its window") {
  OperatorCase c(conv_transpose_attributes(1, 3, 2));
  c.input(tensor_f32({1, 1, 3}, {1, 10, 100}))
      .input(tensor_f32({1, 1, 3}, {1, 2, 3}))
      .output(DataType::kF32, {1, 1, 7});
  REQUIRE(c.infer().value()[0].shape == Shape{1, 1, 7});
  CHECK(reference(c)[0].values<float>() == std::vector<float>{1, 2, 13, 20, 130, 200, 300});
}

TEST_CASE("ConvTranspose crops by its pads and extends by its output padding") {
  OperatorCase c(conv_transpose_attributes(1, 3, 2, 1, 1));
  c.input(tensor_f32({1, 1, 3}, {1, 10, 100}))
      .input(tensor_f32({1, 1, 3}, {1, 2, 3}))
      .output(DataType::kF32, {1, 1, 6});
  REQUIRE(c.infer().value()[0].shape == Shape{1, 1, 6});
  CHECK(reference(c)[0].values<float>() == std::vector<float>{2, 13, 20, 130, 200, 300});
}

TEST_CASE("ConvTranspose computes groups separately") {
  ops::ConvTranspose conv = conv_transpose_attributes(2, 1);
  conv.group = 2;
  OperatorCase c(conv);
  c.input(tensor_f32({1, 2, 1, 2}, {1, 2, 3, 4})).input(tensor_f32({2, 2, 1, 1}, {1, 10, 100, 1000}));
  c.input(tensor_f32({4}, {0, 0, 0, 5})).output(DataType::kF32, {1, 4, 1, 2});
  REQUIRE(c.infer().value()[0].shape == Shape{1, 4, 1, 2});
  CHECK(reference(c)[0].values<float>() == std::vector<float>{1, 2, 10, 20, 300, 400, 3005, 4005});
}

TEST_CASE("ConvTranspose rejects outputs that are empty or overflow") {
  const auto infer_error = [](const ops::ConvTranspose& conv, const Shape& x, const Shape& weights) {
    OperatorCase c(conv);
    for (const Shape& shape : {x, weights}) c.input(shape_only(shape));
    return c.infer().error();
  };
  CHECK(infer_error(conv_transpose_attributes(1, 3), {1, 1, 4}, {1, 1, 3}).ok());
  CHECK_FALSE(infer_error(conv_transpose_attributes(1, 3, 1, 3), {1, 1, 4}, {1, 1, 3}).ok());
  CHECK_FALSE(infer_error(conv_transpose_attributes(1, 3, 2147483647), {1, 1, int64_t{1} << 40}, {1, 1, 3}).ok());
  CHECK_FALSE(infer_error(conv_transpose_attributes(1, 3), {1, 2, 4}, {1, 1, 3}).ok());
}

namespace {

ops::ConvTranspose random_attributes(std::mt19937& generator, int rank) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); };
  ops::ConvTranspose conv = conv_transpose_attributes(rank, 1);
  for (size_t axis = 0; axis < static_cast<size_t>(rank); ++axis) {
    conv.kernel[axis] = draw(1, 5);
    conv.stride[axis] = draw(1, 4);
    conv.dilation[axis] = draw(1, 3);
    conv.pad_begin[axis] = draw(0, 2);
    conv.pad_end[axis] = draw(0, 2);
    conv.output_padding[axis] = draw(0, 2);
  }
  conv.group = draw(1, 3);
  return conv;
}

}  // namespace

TEST_CASE("Every kernel of ConvTranspose agrees with the reference") {
  std::mt19937 generator(1);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); };
  const int cases = by_level(12, 40, 200);
  for (int i = 0; i < cases; ++i) {
    const int rank = 1 + i % 3;
    const ops::ConvTranspose conv = random_attributes(generator, rank);
    Shape x{draw(1, 2), conv.group * draw(1, 20)}, weights{x[1], draw(1, 20)};
    for (int axis = 0; axis < rank; ++axis) x.push_back(draw(5, rank == 3 ? 6 : 11));
    for (int extent : conv.kernel) weights.push_back(extent);
    const TestTensor input = random_tensor(generator, x), kernel = random_tensor(generator, weights);
    const TestTensor bias = i % 4 == 0 ? absent() : random_tensor(generator, {weights[1] * conv.group});
    const auto make = [&](const TestTensor& in, const TestTensor& k, const TestTensor& b, bool activated) {
      ops::ConvTranspose attributes = conv;
      const auto kind = static_cast<ops::ActivationKind>(activated ? i % 9 : 0);
      attributes.activation = {kind, 0.2f, 0.7f};
      OperatorCase c(attributes);
      c.input(in).input(k).input(b);
      const auto outputs = c.infer();
      if (!outputs) FAIL(outputs.error().to_string());
      c.output(DataType::kF32, outputs.value()[0].shape);
      return c;
    };
    const OperatorCase c = make(input, i % 2 == 0 ? kernel : as_constant(kernel), bias, true);
    const TestTensor expected = reference(c)[0];
    const TestTensor sums = reference(make(magnitude(input), magnitude(kernel), magnitude(bias), false))[0];
    const int64_t terms = x[1] / conv.group * weights.product(2, weights.rank());
    for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
      check_sums(what + " of " + x.to_string(), outputs[0], expected, sums, terms);
    });
  }
}

namespace {

struct Layer {
  Shape x;
  int64_t outputs;  // per group
  std::vector<int> kernel, stride, dilation, pad_begin, pad_end;
  int group = 1;
  bool bias = true, residual = false;
  ops::ActivationKind activation = ops::ActivationKind::kNone;
};

// Compares all plain and blocked kernels that support the layer with the reference. Returns their names.
std::set<std::string> check_layer(const Layer& layer, std::mt19937& generator) {
  ops::ConvTranspose conv = conv_transpose_attributes(static_cast<int>(layer.kernel.size()), 1);
  conv.kernel.assign(layer.kernel.begin(), layer.kernel.end());
  conv.stride.assign(layer.stride.begin(), layer.stride.end());
  conv.dilation.assign(layer.dilation.begin(), layer.dilation.end());
  conv.pad_begin.assign(layer.pad_begin.begin(), layer.pad_begin.end());
  conv.pad_end.assign(layer.pad_end.begin(), layer.pad_end.end());
  conv.group = layer.group;
  Shape weights{layer.x[1], layer.outputs};
  for (int extent : layer.kernel) weights.push_back(extent);
  const TestTensor x = random_tensor(generator, layer.x), kernel = as_constant(random_tensor(generator, weights));
  const TestTensor bias = layer.bias ? as_constant(random_tensor(generator, {layer.outputs * layer.group})) : absent();
  OperatorCase shapes(conv);
  shapes.input(x).input(kernel);
  const Shape output = shapes.infer().value()[0].shape;
  const TestTensor residual = layer.residual ? random_tensor(generator, output) : absent();
  const auto make = [&](Layout layout) {
    conv.activation = {layer.activation, 0.2f, 0.7f};
    OperatorCase c(conv);
    c.input(with_layout(x, layout)).input(kernel).input(bias);
    c.input(residual.present ? with_layout(residual, layout) : residual).output(DataType::kF32, output, layout);
    return c;
  };
  const TestTensor expected = reference(make(Layout::kPlain))[0];
  conv.activation = {};
  OperatorCase absolute(conv);
  absolute.input(magnitude(x)).input(magnitude(kernel)).input(magnitude(bias)).input(magnitude(residual));
  const TestTensor sums = reference(absolute.output(DataType::kF32, output))[0];
  const int64_t terms = layer.x[1] / layer.group * weights.product(2, weights.rank());
  std::set<std::string> names;
  for (const Layout layout : {Layout::kPlain, Layout::kBlocked16}) {
    std::map<std::string, std::vector<std::byte>> by_set;
    for_each_fast_kernel(make(layout), [&](const std::string& what, const std::vector<TestTensor>& outputs) {
      check_sums(what + " of " + layer.x.to_string(), outputs[0], expected, sums, terms);
      names.insert(what.substr(0, what.find(' ')));
      // The result is bit-identical for any number of threads.
      const auto [known, fresh] = by_set.emplace(what.substr(0, what.find(',')), outputs[0].bytes);
      CHECK((fresh || known->second == outputs[0].bytes));
    });
  }
  return names;
}

Layer random_layer(std::mt19937& generator) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); };
  Layer layer;
  const int rank = draw(1, 3), form = draw(0, 2);
  int64_t channels = draw(1, 40);
  layer.outputs = draw(8, 50);
  if (form == 1) layer.group = static_cast<int>(channels), layer.outputs = 1;
  if (form == 2) layer.group = 2, channels = 32 * draw(1, 2), layer.outputs = 16 * draw(1, 2);
  layer.x = {draw(1, 2), channels};
  for (int axis = 0; axis < rank; ++axis) {
    layer.kernel.push_back(draw(1, rank == 3 ? 3 : 5));
    layer.stride.push_back(draw(1, 4));
    layer.dilation.push_back(draw(1, 2));
    layer.pad_begin.push_back(draw(0, 2));
    layer.pad_end.push_back(draw(0, 2));
    layer.x.push_back(draw(5, rank == 1 ? 60 : rank == 2 ? 19 : 6));
  }
  layer.bias = draw(0, 3) > 0;
  layer.residual = draw(0, 1) > 0;
  layer.activation = static_cast<ops::ActivationKind>(draw(0, 8));
  return layer;
}

}  // namespace

TEST_CASE("Plain and blocked kernels of ConvTranspose agree with the reference") {
  std::mt19937 generator(3);
  std::set<std::string> names;
  const int layers = by_level(15, 60, 300);
  for (int i = 0; i < layers; ++i) names.merge(check_layer(random_layer(generator), generator));
  CHECK(names == std::set<std::string>{"conv_transpose.f32.depthwise16", "conv_transpose.f32.direct16",
                                       "conv_transpose.f32.gemm"});
}

TEST_CASE("ConvTranspose kernels agree with the reference on layers large enough to be split") {
  std::mt19937 generator(4);
  for (const Layer& layer :
       {Layer{{1, 40, 30, 31}, 24, {2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0}},
        Layer{{1, 64, 28, 28}, 32, {4, 4}, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
        Layer{{1, 96, 40, 41}, 1, {4, 4}, {4, 4}, {1, 1}, {0, 1}, {1, 0}},
        Layer{{1, 24, 900}, 3, {16}, {8}, {1}, {4}, {4}}, Layer{{1, 20, 70}, 2, {80}, {40}, {1}, {0}, {0}},
        Layer{{1, 48, 40, 40}, 1, {4, 4}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, 48},
        Layer{{1, 64, 120, 130}, 8, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}})
    CHECK(check_layer(layer, generator).contains("conv_transpose.f32.gemm"));
}

TEST_CASE("ConvTranspose adds a residual before the activation") {
  std::mt19937 generator(2);
  ops::ConvTranspose conv = conv_transpose_attributes(2, 3, 2);
  conv.activation = {ops::ActivationKind::kRelu};
  OperatorCase c(conv);
  c.input(random_tensor(generator, {1, 3, 4, 5})).input(random_tensor(generator, {3, 18, 3, 3})).input(absent());
  c.input(random_tensor(generator, {1, 18, 9, 11})).output(DataType::kF32, {1, 18, 9, 11});
  const TestTensor expected = reference(c)[0];
  for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
    INFO(what);
    CHECK(relative_error(outputs[0], expected) < 1e-5);
  });
}

TEST_CASE("Preparing ConvTranspose takes time for its taps, not for the phases of its stride") {
  // There are 2^40 phases, and only one of them has a tap. Visiting all phases would take days.
  ops::ConvTranspose conv = conv_transpose_attributes(2, 1, 2147483647, 0, (1 << 20) - 1);
  OperatorCase c(conv);
  c.input(tensor_f32({1, 1, 1, 1}, {2})).input(as_constant(tensor_f32({1, 1, 1, 1}, {3})));
  REQUIRE(c.infer());
  c.with_spec([](const OperatorSpec& spec) { CHECK(kernels::prepare_conv_transpose_gemm(spec)); });
}

TEST_CASE("ConvTranspose outputs without taps equal bias plus residual") {
  ops::ConvTranspose conv = conv_transpose_attributes(2, 1, 2147483647, 0, 1);
  conv.kernel[1] = 2;
  conv.activation = {ops::ActivationKind::kRelu};
  OperatorCase c(conv);
  c.input(tensor_f32({1, 1, 1, 1}, {2})).input(as_constant(tensor_f32({1, 2, 1, 2}, {1, -9, 2, 3})));
  c.input(tensor_f32({2}, {5, 7})).input(tensor_f32({1, 2, 2, 3}, {0, 0, 1, 2, -9, 4, 0, 0, 1, 2, -9, 4}));
  c.output(DataType::kF32, {1, 2, 2, 3});
  const std::vector<float> expected{7, 0, 6, 7, 0, 9, 11, 13, 8, 9, 0, 11};
  CHECK(reference(c)[0].values<float>() == expected);
  for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
    INFO(what);
    CHECK(outputs[0].values<float>() == expected);
  });
}

}  // namespace nestrt::test
