// SPDX-License-Identifier: Apache-2.0
// Compares every fast Conv kernel with the reference, on shapes with odd sizes in all dimensions.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "kernels/common/packing/packing.h"
#include "kernels/common/simd/simd.h"
#include "kernels/registry.h"
#include "test/support/evta/sum_check.h"
#include "test/support/kernel/kernel_runner.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

struct Layer {
  Shape x;
  int64_t outputs;
  std::vector<int> kernel, stride, dilation, pad_begin, pad_end;
  int group = 1;
  bool bias = true, residual = false;
  ops::ActivationKind activation = ops::ActivationKind::kNone;
};

ops::Conv attributes(const Layer& layer, bool with_activation) {
  ops::Conv conv;
  conv.kernel.assign(layer.kernel.begin(), layer.kernel.end());
  conv.stride.assign(layer.stride.begin(), layer.stride.end());
  conv.dilation.assign(layer.dilation.begin(), layer.dilation.end());
  conv.pad_begin.assign(layer.pad_begin.begin(), layer.pad_begin.end());
  conv.pad_end.assign(layer.pad_end.begin(), layer.pad_end.end());
  conv.group = layer.group;
  if (with_activation) conv.activation = {layer.activation, 0.2f, 0.7f};
  return conv;
}

struct Operands {
  TestTensor x, weights, bias, residual;
};

Shape output_shape(const Layer& layer, const Shape& weights) {
  OperatorCase c(attributes(layer, true));
  c.input(shape_only(layer.x)).input(shape_only(weights));
  const auto outputs = c.infer();
  if (!outputs) FAIL(outputs.error().to_string());
  return outputs.value()[0].shape;
}

Operands operands(const Layer& layer, std::mt19937& generator) {
  Shape weights{layer.outputs, layer.x[1] / layer.group};
  for (int extent : layer.kernel) weights.push_back(extent);
  Operands result;
  result.x = random_tensor(generator, layer.x);
  result.weights = random_tensor(generator, weights);
  result.bias = layer.bias ? random_tensor(generator, {layer.outputs}) : absent();
  result.residual = layer.residual ? random_tensor(generator, output_shape(layer, weights)) : absent();
  return result;
}

TestTensor packed(const TestTensor& weights, Packing packing) {
  TestTensor result = weights;
  result.packing = packing;
  result.constant = true;
  result.bytes.resize(static_cast<size_t>(kernels::packed_bytes(packing, weights.shape)));
  kernels::pack_weights(packing, weights.shape, reinterpret_cast<const float*>(weights.bytes.data()),
                        reinterpret_cast<float*>(result.bytes.data()));
  return result;
}

OperatorCase make_case(const Layer& layer, const Operands& o, Layout in, Layout out, Packing packing) {
  const bool constant = out != Layout::kPlain;
  OperatorCase c(attributes(layer, true));
  c.input(with_layout(o.x, in)).input(packing == Packing::kNone ? o.weights : packed(o.weights, packing));
  c.input(constant && o.bias.present ? as_constant(o.bias) : o.bias);
  c.input(o.residual.present ? with_layout(o.residual, out) : o.residual);
  c.output(DataType::kF32, output_shape(layer, o.weights.shape), out);
  return c;
}

TestTensor magnitudes(const Layer& layer, const Operands& o) {
  OperatorCase c(attributes(layer, false));
  c.input(magnitude(o.x)).input(magnitude(o.weights)).input(magnitude(o.bias)).input(magnitude(o.residual));
  c.output(DataType::kF32, output_shape(layer, o.weights.shape));
  return reference(c)[0];
}

// Compares all kernels that support the layer, in any layout, with the reference. Returns their names.
std::set<std::string> check_layer(const Layer& layer, std::mt19937& generator) {
  const Operands o = operands(layer, generator);
  const OperatorCase plain = make_case(layer, o, Layout::kPlain, Layout::kPlain, Packing::kNone);
  const TestTensor expected = reference(plain)[0], sums = magnitudes(layer, o);
  const int64_t terms = o.weights.shape.product(1, o.weights.shape.rank());
  std::set<std::string> names;
  std::map<std::string, std::vector<std::byte>> by_set;
  const auto check = [&](const std::string& what, const std::vector<TestTensor>& outputs) {
    check_sums(what + " of " + layer.x.to_string(), outputs[0], expected, sums, terms);
    names.insert(what.substr(0, what.find(' ')));
    // The result is bit-identical for any number of threads.
    const auto [known, fresh] = by_set.emplace(what.substr(0, what.find(',')), outputs[0].bytes);
    CHECK((fresh || known->second == outputs[0].bytes));
  };
  for_each_fast_kernel(plain, check);
  for (const auto& [in, out, packing] :
       {std::tuple{Layout::kBlocked16, Layout::kBlocked16, Packing::kO16i16},
        std::tuple{Layout::kBlocked16, Layout::kBlocked16, Packing::kDepthwise16},
        std::tuple{Layout::kBlocked16, Layout::kBlocked16, Packing::kWinograd16},
        std::tuple{Layout::kBlocked16, Layout::kBlocked16, Packing::kWinograd16Two},
        std::tuple{Layout::kBlocked16, Layout::kBlocked16, Packing::kWinograd16Strided},
        std::tuple{Layout::kPlain, Layout::kBlocked16, Packing::kStem16}}) {
    if (!kernels::packing_fits(packing, o.weights.shape)) continue;
    by_set.clear();
    for_each_fast_kernel(make_case(layer, o, in, out, packing), check);
  }
  return names;
}

bool is_winograd(const std::string& name) { return name.starts_with("conv.f32.winograd16"); }

Layer layer2d(const Shape& x, int64_t outputs, int kernel, int stride, int pad, int group = 1) {
  return {x, outputs, {kernel, kernel}, {stride, stride}, {1, 1}, {pad, pad}, {pad, pad}, group};
}

Layer random_layer(std::mt19937& generator) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); };
  Layer layer;
  const int rank = draw(1, 3), form = draw(0, 5);
  int64_t channels = draw(1, 40);
  layer.outputs = draw(1, 50);
  if (form == 1) channels = draw(1, 8);
  if (form == 2) layer.outputs = layer.group = static_cast<int>(channels);
  if (form == 3) layer.group = 2, channels = 32 * draw(1, 2), layer.outputs = 32 * draw(1, 2);
  if (form == 4)
    layer.group = draw(2, 3), channels = layer.group * draw(1, 9), layer.outputs = layer.group * draw(1, 9);
  layer.x = {draw(1, 2), channels};
  for (int axis = 0; axis < rank; ++axis) {
    const int kernel = draw(1, rank == 3 ? 3 : 5), dilation = draw(1, 2);
    layer.kernel.push_back(kernel);
    layer.dilation.push_back(axis + 1 == rank && form == 1 ? 1 : dilation);
    layer.stride.push_back(draw(1, 3));
    layer.pad_begin.push_back(draw(0, 3));
    layer.pad_end.push_back(draw(0, 3));
    layer.x.push_back(draw(kernel * 2, rank == 1 ? 60 : rank == 2 ? 19 : 9));
  }
  layer.bias = draw(0, 3) > 0;
  layer.residual = draw(0, 1) > 0;
  layer.activation = static_cast<ops::ActivationKind>(draw(0, 8));
  return layer;
}

}  // namespace

TEST_CASE("Every kernel of Conv agrees with the reference") {
  std::mt19937 generator(1);
  std::set<std::string> names = check_layer(layer2d({1, 20, 9, 8}, 1, 5, 1, 2), generator);  // few outputs
  const int layers = by_level(30, 60, 300);
  for (int i = 0; i < layers; ++i) names.merge(check_layer(random_layer(generator), generator));
  std::erase_if(names, is_winograd);  // few of these layers are large enough
  CHECK(names == std::set<std::string>{"conv.f32.depthwise16", "conv.f32.direct16", "conv.f32.gemm",
                                       "conv.f32.gemm.narrow", "conv.f32.stem16"});
}

TEST_CASE("Conv kernels agree with the reference on layers large enough to be split") {
  std::mt19937 generator(2);
  check_layer(layer2d({1, 64, 14, 14}, 80, 3, 1, 1), generator);
  check_layer(layer2d({1, 40, 28, 28}, 48, 1, 1, 0), generator);
  check_layer(layer2d({1, 3, 57, 57}, 40, 7, 2, 3), generator);
  check_layer(layer2d({1, 96, 28, 28}, 96, 3, 2, 1, 96), generator);
}

TEST_CASE("Conv kernels agree with the reference on signals with long, strided and dilated kernels") {
  std::mt19937 generator(8);
  for (const Layer& layer :
       {Layer{{2, 1, 700}, 5, {123}, {7}, {1}, {60}, {61}}, Layer{{1, 1, 5000}, 36, {512}, {256}, {1}, {256}, {256}},
        Layer{{1, 2, 1300}, 1, {31}, {1}, {9}, {135}, {0}}, Layer{{1, 1, 4100}, 2, {400}, {3}, {1}, {0}, {200}},
        Layer{{1, 2, 640, 1}, 20, {64, 1}, {16, 1}, {1, 1}, {32, 0}, {0, 0}},
        Layer{{1, 2, 640, 1}, 17, {9, 1}, {2, 1}, {5, 1}, {3, 0}, {3, 0}},
        Layer{{1, 3, 300, 1, 1}, 18, {5, 1, 1}, {2, 1, 1}, {1, 1, 1}, {2, 0, 0}, {2, 0, 0}},
        Layer{{1, 3, 9, 150}, 4, {3, 39}, {1, 1}, {1, 1}, {1, 19}, {1, 19}},
        Layer{{1, 96, 60, 90}, 12, {3, 3}, {1, 1}, {2, 2}, {2, 2}, {2, 2}, 4},
        Layer{{2, 12, 24, 25}, 24, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 3},
        Layer{{1, 30, 40, 7}, 30, {3, 3}, {2, 1}, {1, 1}, {1, 1}, {1, 1}, 2}})
    CHECK(check_layer(layer, generator).contains("conv.f32.gemm"));
}

TEST_CASE("NaN and infinity in the input of Conv reach exactly the outputs that read them") {
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::mt19937 generator(9);
    const Layer layer = layer2d({1, 6, 13, 19}, 6, 3, 2, 1, 2);
    Operands o = operands(layer, generator);
    reinterpret_cast<float*>(o.x.bytes.data())[5 * 19 + 7] = value;
    const OperatorCase c = make_case(layer, o, Layout::kPlain, Layout::kPlain, Packing::kNone);
    const std::vector<float> expected = reference(c)[0].values<float>();
    for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
      INFO(what);
      const std::vector<float> actual = outputs[0].values<float>();
      CHECK(std::ranges::equal(
          actual, expected, {}, [](float x) { return std::fpclassify(x) != FP_NORMAL; },
          [](float x) { return std::fpclassify(x) != FP_NORMAL; }));
    });
  }
}

TEST_CASE("Conv prefers the plain layout if its outputs would fill a small part of a block") {
  std::mt19937 generator(10);
  const auto is_narrow = [&](const Layer& layer) {
    const Operands o = operands(layer, generator);
    std::string name;
    make_case(layer, o, Layout::kPlain, Layout::kPlain, Packing::kNone).with_spec([&](const OperatorSpec& spec) {
      name = kernels::operators().select(spec, InstructionSet::kPortable)->name;
    });
    return name == "conv.f32.gemm.narrow";
  };
  CHECK(is_narrow(layer2d({1, 64, 14, 14}, 1, 3, 1, 1)));
  CHECK(is_narrow(layer2d({1, 64, 14, 14}, 3, 7, 1, 3)));
  CHECK(is_narrow(Layer{{1, 32, 900}, 1, {7}, {1}, {1}, {3}, {3}}));
  CHECK(!is_narrow(layer2d({1, 64, 14, 14}, 1, 1, 1, 0)));  // copying the input would take longer
  CHECK(!is_narrow(layer2d({1, 64, 14, 14}, 3, 3, 1, 1)));  // Winograd's algorithm needs fewer products
  CHECK(!is_narrow(layer2d({1, 64, 14, 14}, 16, 7, 1, 3)));
  CHECK(!is_narrow(layer2d({1, 64, 14, 14}, 2, 3, 1, 1, 2)));
}

TEST_CASE("Conv with a window of inputs too large to copy uses the reference") {
  OperatorCase c(attributes({{1, 1, 4}, 1, {2}, {1}, {1 << 30}, {1 << 30}, {0}}, true));
  c.input(shape_only({1, 1, 4})).input(shape_only({1, 1, 2})).output(DataType::kF32, {1, 1, 4});
  c.with_spec([](const OperatorSpec& spec) {
    CHECK(kernels::operators().select(spec, InstructionSet::kPortable)->name == "conv.f32.reference");
  });
}

TEST_CASE("Winograd kernels agree with the reference on maps of any size") {
  std::mt19937 generator(4);
  const bool is_there = kernels::current_instruction_set() != InstructionSet::kPortable;
  const bool is_arm = includes(kernels::current_instruction_set(), InstructionSet::kNeon);
  for (const auto& [x, pad, activation] : {std::tuple{Shape{1, 16, 15, 13}, 0, ops::ActivationKind::kNone},
                                           std::tuple{Shape{2, 35, 12, 13}, 1, ops::ActivationKind::kRelu},
                                           std::tuple{Shape{1, 40, 9, 31}, 2, ops::ActivationKind::kClip}}) {
    Layer layer = layer2d(x, 36, 3, 1, pad);
    layer.pad_end[1] = 1;
    layer.bias = pad != 1;
    layer.residual = pad != 0;
    layer.activation = activation;
    for (const int stride : {1, 2}) {
      if (stride == 2 && !is_arm && test_level() == TestLevel::kQuick) continue;  // no dedicated kernel
      layer.stride = {stride, stride};
      if (stride == 2) layer.x = {x[0], x[1] * 4, x[2] * 2, x[3] * 2}, layer.outputs = 68;  // large enough to be faster
      const std::set<std::string> names = check_layer(layer, generator);
      CHECK(std::ranges::any_of(names, is_winograd) == (is_arm || (stride == 1 && is_there)));
      CHECK(names.contains(stride == 1 ? "conv.f32.winograd16" : "conv.f32.winograd16.strided") == is_arm);
      CHECK(names.contains("conv.f32.winograd16.two") == (is_arm && stride == 1));
    }
  }
}

TEST_CASE("The Winograd kernel over folded images agrees with the reference on images of any size") {
  std::mt19937 generator(7);
  const bool is_arm = includes(kernels::current_instruction_set(), InstructionSet::kNeon);
  for (const auto& [x, kernel, pad] : {std::tuple{Shape{2, 3, 57, 61}, 7, 3}, std::tuple{Shape{1, 4, 40, 33}, 7, 2},
                                       std::tuple{Shape{1, 3, 31, 42}, 6, 1}, std::tuple{Shape{1, 3, 48, 47}, 8, 4},
                                       std::tuple{Shape{2, 4, 36, 36}, 7, 0}}) {
    Layer layer = layer2d(x, 20 + pad, kernel, 2, pad);
    layer.pad_end[0] += pad % 2;
    layer.bias = pad != 1;
    layer.residual = pad == 2;
    layer.activation = pad == 4 ? ops::ActivationKind::kClip : ops::ActivationKind::kRelu;
    CHECK(check_layer(layer, generator).contains("conv.f32.stem16.winograd") == is_arm);
  }
  for (const auto& [x, kernel, stride, pad] :
       {std::tuple{Shape{1, 2, 40, 40}, 7, 2, 3}, std::tuple{Shape{1, 3, 40, 40}, 5, 2, 2},
        std::tuple{Shape{1, 3, 40, 40}, 8, 2, 3}, std::tuple{Shape{1, 3, 20, 20}, 7, 2, 3},
        std::tuple{Shape{1, 3, 40, 40}, 7, 1, 3}})
    CHECK(!check_layer(layer2d(x, 16, kernel, stride, pad), generator).contains("conv.f32.stem16.winograd"));
}

TEST_CASE("Depthwise kernels of three and five taps agree with the reference on rows of any length") {
  std::mt19937 generator(6);
  for (int width = 3; width <= 21; ++width)
    for (const int stride : {1, 2, 3}) {
      const int kernel = width % 2 == 1 ? 3 : 5;
      Layer layer = layer2d({1, 20, 5, width + stride}, 20, kernel, stride, width % kernel, 20);
      layer.pad_end[1] = stride % 2;
      layer.residual = stride == 2;
      layer.activation = width % 4 < 2 ? ops::ActivationKind::kClip : ops::ActivationKind::kSilu;
      CHECK(check_layer(layer, generator).contains("conv.f32.depthwise16"));
    }
}

TEST_CASE("A Winograd kernel is selected on instruction sets that have one if it is faster") {
  std::mt19937 generator(5);
  const auto chosen = [&](const Layer& layer, InstructionSet set) {
    const Operands o = operands(layer, generator);
    std::string name;
    make_case(layer, o, Layout::kBlocked16, Layout::kBlocked16, Packing::kO16i16)
        .with_spec([&](const OperatorSpec& spec) { name = kernels::operators().select(spec, set)->name; });
    return name;
  };
  const Layer layer = layer2d({1, 64, 14, 14}, 64, 3, 1, 1);
  CHECK(chosen(layer, InstructionSet::kNeon) == "conv.f32.winograd16");
  CHECK(chosen(layer, InstructionSet::kNeonDotprod) == "conv.f32.winograd16");
  for (const InstructionSet set : {InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    CHECK(chosen(layer, set) == "conv.f32.winograd16.wide");
    CHECK(chosen(layer2d({1, 64, 14, 14}, 64, 3, 2, 1), set) == "conv.f32.direct16");
    for (const int64_t side : {7, 8})  // few tiles
      CHECK(chosen(layer2d({1, 512, side, side}, 512, 3, 1, 1), set) == "conv.f32.direct16");
  }
  CHECK(chosen(layer, InstructionSet::kPortable) == "conv.f32.direct16");
  CHECK(chosen(layer2d({1, 64, 28, 28}, 64, 3, 2, 1), InstructionSet::kNeon) == "conv.f32.winograd16.strided");
  CHECK(chosen(layer2d({1, 64, 14, 14}, 64, 3, 2, 1), InstructionSet::kNeon) == "conv.f32.winograd16.strided");
  CHECK(chosen(layer2d({1, 16, 14, 14}, 16, 3, 2, 1), InstructionSet::kNeon) == "conv.f32.direct16");
  CHECK(chosen(layer2d({1, 64, 7, 7}, 64, 3, 1, 1), InstructionSet::kNeon) == "conv.f32.winograd16.two");
  CHECK(chosen(layer2d({1, 64, 4, 4}, 64, 3, 1, 1), InstructionSet::kNeon) == "conv.f32.direct16");  // few tiles
  CHECK(chosen(layer2d({1, 1, 56, 56}, 16, 3, 1, 1), InstructionSet::kNeon) == "conv.f32.direct16");
  Layer sigmoid = layer;
  sigmoid.activation = ops::ActivationKind::kSigmoid;
  CHECK(chosen(sigmoid, InstructionSet::kNeon) == "conv.f32.direct16");
}

TEST_CASE("Weights packed for another kernel are repacked") {
  std::mt19937 generator(3);
  const Layer layer = layer2d({1, 20, 5, 5}, 24, 3, 1, 1);
  const Operands o = operands(layer, generator);
  const TestTensor expected = reference(make_case(layer, o, Layout::kPlain, Layout::kPlain, Packing::kNone))[0];
  for (Packing packing : {Packing::kNone, Packing::kStem16, Packing::kO16i16, Packing::kWinograd16,
                          Packing::kWinograd16Two, Packing::kWinograd16Strided}) {
    OperatorCase c(attributes(layer, true));
    c.input(with_layout(o.x, Layout::kBlocked16));
    c.input(packing == Packing::kNone ? as_constant(o.weights) : packed(o.weights, packing));
    c.input(as_constant(o.bias)).output(DataType::kF32, expected.shape, Layout::kBlocked16);
    CHECK(relative_error(c.run("conv.f32.direct16")[0], expected) < 1e-5);
  }
}

}  // namespace nestrt::test
