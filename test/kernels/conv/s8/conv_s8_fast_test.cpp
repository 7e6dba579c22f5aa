// SPDX-License-Identifier: Apache-2.0
// Compares every fast kernel of an s8 Conv with the reference bit for bit. Random layers cover odd sizes in all
// dimensions, all s8 values, all roundings, residuals, wide outputs, exponents, and scales with zero points.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "kernels/common/packing/packing.h"
#include "kernels/common/simd/simd.h"
#include "kernels/conv/conv.h"
#include "kernels/registry.h"
#include "test/support/kernel/kernel_runner.h"
#include "test/support/skip.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

struct S8Layer {
  ops::Conv conv;
  TestTensor x, weights, bias, residual;
  int exponent = 0;  // exponent of an s8 output
  float scale = 0;   // if positive, the scale of an output with scales
  int zero_point = 0;
};

class Draw {
 public:
  explicit Draw(std::mt19937& generator) : generator_(generator) {}
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }
  bool once_in(int times) { return between(1, times) == 1; }

  // Returns random values or, if `extremes`, only the extremes. If `small`, -128 is excluded, which selects other
  // kernels.
  TestTensor bytes(const Shape& shape, bool extremes, bool small = false) {
    std::vector<int> values(static_cast<size_t>(shape.num_elements()));
    const int low = small ? -127 : -128;
    for (int& value : values) value = extremes ? (once_in(2) ? low : 127) : between(low, 127);
    return tensor_s8(shape, values);
  }

 private:
  std::mt19937& generator_;
};

// kImage is a stem that can be folded; kGroups consists of whole blocks.
enum class Form { kAny, kStem, kImage, kDepthwise, kGroups, kOddGroups };
constexpr int kForms = 6;

S8Layer random_layer(std::mt19937& generator, Form form) {
  Draw draw(generator);
  S8Layer layer;
  ops::Conv& conv = layer.conv;
  int channels = draw.between(1, 40), outputs = draw.between(1, 50);
  const bool is_image = form == Form::kImage;
  if (is_image || form == Form::kStem) channels = draw.between(1, 8);
  if (form == Form::kDepthwise) conv.group = outputs = channels;
  if (form == Form::kOddGroups) {
    conv.group = draw.between(2, 4);
    channels = conv.group * draw.between(1, 9);
    outputs = conv.group * draw.between(1, 20);
  }
  if (form == Form::kGroups) conv.group = 2, channels = 32 * draw.between(1, 2), outputs = 32 * draw.between(1, 2);
  Shape x{draw.between(1, 2), channels}, weights{outputs, channels / conv.group};
  const int rank = is_image ? 2 : draw.once_in(6) ? 3 : draw.between(1, 2);
  for (int axis = 0; axis < rank; ++axis) {
    const int kernel = draw.between(1, rank == 3 ? 2 : is_image ? 7 : 4);
    conv.kernel.push_back(kernel);
    conv.dilation.push_back(is_image ? 1 : draw.between(1, 2));
    conv.stride.push_back(is_image ? 1 << draw.between(0, 3) : draw.between(1, 3));
    conv.pad_begin.push_back(draw.between(0, is_image ? 6 : 2));
    conv.pad_end.push_back(draw.between(0, is_image ? 6 : 2));
    weights.push_back(kernel);
    x.push_back(draw.between(kernel * 2, rank == 1 || is_image ? 40 : rank == 2 ? 11 : 6));
  }
  const bool extremes = draw.once_in(4);
  layer.x = with_exponent(draw.bytes(x, extremes), draw.between(-3, 7));
  layer.weights = draw.bytes(weights, extremes, draw.once_in(2));
  layer.bias = absent();
  if (!draw.once_in(4)) {
    std::vector<int32_t> bias(static_cast<size_t>(outputs));
    for (int32_t& value : bias) value = extremes ? static_cast<int32_t>(generator()) : draw.between(-30000, 30000);
    layer.bias = as_constant(tensor({outputs}, bias));
  }
  conv.rounding = static_cast<ops::Rounding>(draw.between(0, 2));
  return layer;
}

Shape output_shape(const S8Layer& layer) {
  OperatorCase c(layer.conv);
  c.input(layer.x).input(as_constant(layer.weights)).input(layer.bias);
  const auto outputs = c.infer();
  if (!outputs) FAIL(outputs.error().to_string());
  return outputs.value()[0].shape;
}

// Draws scales that usually give non-trivial outputs, and zero points over the whole range of s8.
void draw_real_scales(S8Layer& layer, std::mt19937& generator) {
  Draw draw(generator);
  const auto scale = [&] { return std::exp2(static_cast<float>(draw.between(-900, -600)) / 100); };
  layer.x = with_scale(layer.x, scale(), draw.between(-128, 127));
  std::vector<float> scales(static_cast<size_t>(layer.weights.shape[0]));
  for (float& entry : scales) entry = scale();
  layer.weights =
      as_constant(draw.once_in(4) ? with_scale(layer.weights, scale(), 0) : with_scales(layer.weights, scales, 0));
  layer.scale = draw.once_in(8) ? scale() * scale() : scale() * 16;
  layer.zero_point = draw.between(-128, 127);
  layer.residual = absent();
  layer.conv.wide_output = draw.once_in(5);
  if (layer.conv.wide_output) return;
  const auto kind = static_cast<ops::ActivationKind>(draw.between(0, 2));
  layer.conv.activation = {kind, -0.5f, 6.0f};
}

// Draws shifts of 0 to 31, usually such that outputs are non-trivial, and the residual and epilogue.
void draw_scales(S8Layer& layer, std::mt19937& generator) {
  Draw draw(generator);
  const int input = layer.x.quantization->exponents[0];
  const bool by_channel = !draw.once_in(4), any_shift = draw.once_in(5);
  std::vector<int> exponents(static_cast<size_t>(by_channel ? layer.weights.shape[0] : 1));
  const int base = draw.between(-5, 8);
  for (int& exponent : exponents) exponent = base + (any_shift ? draw.between(0, 31) : draw.between(4, 11));
  layer.weights = as_constant(with_exponents(layer.weights, exponents, by_channel ? 0 : -1));
  const int narrowed = input + base;
  layer.exponent = narrowed;
  layer.residual = absent();
  if (draw.once_in(5)) {
    layer.conv.wide_output = true;
    layer.weights = as_constant(with_exponents(layer.weights, exponents, by_channel ? 0 : -1));
    return;
  }
  if (draw.once_in(2)) {
    const int other = narrowed + draw.between(-6, 6);
    layer.residual = with_exponent(draw.bytes(output_shape(layer), draw.once_in(4)), other);
    layer.conv.inner_exponent = static_cast<int8_t>(narrowed);
    layer.exponent = std::max(narrowed, other) - draw.between(0, 4);
  }
  const auto kind = static_cast<ops::ActivationKind>(draw.between(0, 2));
  layer.conv.activation = {kind, -0.5f, 6.0f};
}

TestTensor packed_s8(const TestTensor& weights, Packing packing) {
  TestTensor result = weights;
  result.packing = packing;
  result.bytes.resize(static_cast<size_t>(kernels::packed_bytes(packing, weights.shape)));
  kernels::pack_weights(packing, weights.shape, reinterpret_cast<const int8_t*>(weights.bytes.data()),
                        reinterpret_cast<int8_t*>(result.bytes.data()));
  return result;
}

OperatorCase make_case(const S8Layer& layer, Layout input, Layout layout, const TestTensor& weights) {
  OperatorCase c(layer.conv);
  c.input(with_layout(layer.x, input)).input(weights).input(layer.bias);
  c.input(layer.residual.present ? with_layout(layer.residual, layout) : layer.residual);
  if (layer.conv.wide_output)
    c.output(DataType::kF32, output_shape(layer), layout);
  else if (layer.scale > 0)
    c.output_s8c(output_shape(layer), layer.scale, layer.zero_point, layout);
  else
    c.output_s8(output_shape(layer), layer.exponent, layout);
  return c;
}

std::vector<Layout> layouts_of(const TestTensor& x) {
  std::vector<Layout> layouts = {Layout::kPlain, Layout::kBlocked16};
  if (x.shape.rank() == 4) layouts.insert(layouts.end(), {Layout::kFolded2, Layout::kFolded4, Layout::kFolded8});
  return layouts;
}

// Compares all kernels with the reference. Returns their names, with the suffix " folded" for those that read a folded
// input.
std::set<std::string> check_kernels(std::mt19937& generator, const S8Layer& layer) {
  const TestTensor expected = reference(make_case(layer, Layout::kPlain, Layout::kPlain, layer.weights))[0];
  std::set<std::string> names;
  std::string suffix;
  const auto check = [&](const std::string& what, const std::vector<TestTensor>& outputs) {
    names.insert(what.substr(0, what.find(' ')) + suffix);
    INFO(what << " of " << layer.x.shape.to_string() << " and weights " << layer.weights.shape.to_string());
    CHECK(outputs[0].bytes == expected.bytes);
  };
  const auto check_all = [&](const TestTensor& weights) {
    for (const Layout input : layouts_of(layer.x)) {
      suffix = is_folded(input) ? " folded" : "";
      for_each_fast_kernel(make_case(layer, input, Layout::kBlocked16, weights), check);
    }
    suffix.clear();
  };
  for_each_fast_kernel(make_case(layer, Layout::kPlain, Layout::kPlain, layer.weights), check);
  check_all(layer.weights);
  constexpr Packing kOfConvolutions[] = {Packing::kS8O16i4, Packing::kS8Depthwise16, Packing::kS8Stem,
                                         Packing::kS8Winograd16};
  const Packing packing = kOfConvolutions[Draw(generator).between(0, 3)];
  if (kernels::packing_fits(packing, layer.weights.shape)) check_all(packed_s8(layer.weights, packing));
  return names;
}

std::set<std::string> check_layer(std::mt19937& generator, Form form) {
  S8Layer layer = random_layer(generator, form);
  if (Draw(generator).once_in(2))
    draw_scales(layer, generator);
  else
    draw_real_scales(layer, generator);
  return check_kernels(generator, layer);
}

// Returns a 3 x 3 convolution with output size `image`, whose operands do not have shifts or scales yet.
S8Layer winograd_layer(std::mt19937& generator, int channels, const Shape& image) {
  Draw draw(generator);
  S8Layer layer;
  ops::Conv& conv = layer.conv;
  Shape x{channels < 1000 ? draw.between(1, 2) : 1, channels};
  conv.kernel = {3, 3};
  conv.stride = conv.dilation = {1, 1};
  for (int axis = 0; axis < 2; ++axis) {
    conv.pad_begin.push_back(draw.between(0, 2));
    conv.pad_end.push_back(draw.between(0, 2));
    x.push_back(image[axis] + 2 - conv.pad_begin.back() - conv.pad_end.back());
  }
  const bool extremes = draw.once_in(2);
  layer.x = with_exponent(draw.bytes(x, extremes), draw.between(-3, 7));
  layer.weights = draw.bytes({channels < 1000 ? draw.between(65, 90) : 16, channels, 3, 3}, extremes);
  layer.bias = absent();
  conv.rounding = static_cast<ops::Rounding>(draw.between(0, 2));
  return layer;
}

struct TiledShape {
  int channels, outputs, height, width, kernel_height, kernel_width, stride, pad, group = 1;
};

S8Layer tiled_layer(std::mt19937& generator, const TiledShape& shape) {
  Draw draw(generator);
  S8Layer layer;
  ops::Conv& conv = layer.conv;
  conv.kernel = {shape.kernel_height, shape.kernel_width};
  conv.stride = {shape.stride, shape.stride};
  conv.dilation = {1, 1};
  conv.pad_begin = {std::min(shape.pad, shape.kernel_height - 1), std::min(shape.pad, shape.kernel_width - 1)};
  conv.pad_end = conv.pad_begin;
  conv.group = shape.group;
  const bool extremes = draw.once_in(3);
  layer.x = with_exponent(draw.bytes({draw.between(1, 2), shape.channels, shape.height, shape.width}, extremes), 3);
  layer.weights =
      draw.bytes({shape.outputs, shape.channels / shape.group, shape.kernel_height, shape.kernel_width}, extremes);
  layer.bias = absent();
  conv.rounding = static_cast<ops::Rounding>(draw.between(0, 2));
  return layer;
}

// Returns a convolution with kernel x kernel taps, whose operands do not have shifts or scales yet. A few inputs are
// negative if `some_below`, otherwise none.
S8Layer layer_after_relu(std::mt19937& generator, int kernel, bool some_below) {
  Draw draw(generator);
  S8Layer layer;
  layer.conv.kernel = {kernel, kernel};
  layer.conv.dilation = {1, 1};
  layer.conv.stride = {draw.between(1, 2), 1};
  layer.conv.pad_begin = layer.conv.pad_end = {kernel / 2, kernel / 2};
  const Shape x{draw.between(1, 2), 16 * draw.between(1, 5), draw.between(1, 9), draw.between(1, 9)};
  std::vector<int> values(static_cast<size_t>(x.num_elements()));
  const bool extremes = draw.once_in(2);
  for (int& value : values) {
    value = extremes ? 127 * draw.between(0, 1) : draw.between(0, 127);
    if (some_below && draw.once_in(1000)) value = draw.between(-128, -1);
  }
  layer.x = with_exponent(tensor_s8(x, values), draw.between(-3, 7));
  const Shape weights{draw.between(17, 70), x[1], kernel, kernel};
  const int size = draw.once_in(2) ? 127 : draw.between(1, 127);
  values.resize(static_cast<size_t>(weights.num_elements()));
  for (int& value : values) value = draw.once_in(9) ? (draw.once_in(2) ? size : -size) : draw.between(-size, size);
  layer.weights = tensor_s8(weights, values);
  layer.bias = absent();
  return layer;
}

}  // namespace

TEST_CASE("Every kernel of an s8 Conv is bit-identical to the reference") {
  std::mt19937 generator(1);
  std::set<std::string> names;
  const int layers = by_level(40, 500, 10'000);
  for (int i = 0; i < layers; ++i) names.merge(check_layer(generator, static_cast<Form>(i % kForms)));
  for (const char* name :
       {"conv.s8.depthwise16.dot4", "conv.s8.direct16.dot4", "conv.s8.direct16.vnni", "conv.s8.amx16"})
    names.erase(name);  // available on some machines
  for (const char* name : {"conv.s8.winograd16", "conv.s8.winograd16.wide"})
    names.erase(name);  // few of these layers are large enough
  CHECK(names == std::set<std::string>{"conv.s8.depthwise16", "conv.s8.direct16", "conv.s8.gather", "conv.s8.stem16",
                                       "conv.s8.stem16 folded"});
}

TEST_CASE("An s8 Conv after a Relu is bit-identical to the reference with and without negative inputs") {
  std::mt19937 generator(4);
  const int kernel = GENERATE(1, 3, 5);
  const int layers = by_level(8, 100, 1000);
  for (int i = 0; i < layers; ++i) {
    S8Layer layer = layer_after_relu(generator, kernel, i % 2 == 0);
    if (i % 4 < 3)
      draw_scales(layer, generator);
    else
      draw_real_scales(layer, generator);
    CHECK(check_kernels(generator, layer).contains("conv.s8.direct16"));
  }
}

TEST_CASE("The Winograd s8 kernel is bit-identical to the reference for any operands and map size") {
  std::mt19937 generator(2);
  const InstructionSet set = kernels::current_instruction_set();
  const bool is_arm = includes(set, InstructionSet::kNeon), is_wide = includes(set, InstructionSet::kAvx2);
  constexpr int64_t kWidePixels = 200;  // with fewer, transforming costs more than it saves on x86
  int channels = 28;
  const bool is_quick = test_level() == TestLevel::kQuick;
  for (const Shape& image : {Shape{7, 7}, Shape{5, 29}, Shape{13, 9}, Shape{8, 8}, Shape{22, 19}, Shape{40, 6}}) {
    S8Layer layer = winograd_layer(generator, channels += 12, image);
    for (const bool has_exponents : {true, false}) {
      if (is_quick && has_exponents == (channels / 12 % 2 == 0)) continue;  // alternates between the two
      if (has_exponents)
        draw_scales(layer, generator);
      else
        draw_real_scales(layer, generator);
      const std::set<std::string> names = check_kernels(generator, layer);
      CHECK(names.contains("conv.s8.winograd16") == is_arm);
      if (image.num_elements() >= kWidePixels) CHECK(names.contains("conv.s8.winograd16.wide") == is_wide);
    }
  }
}

TEST_CASE("The s8 AMX kernel is bit-identical to the reference for any split of maps, steps and bands") {
  constexpr TiledShape kShapes[] = {
      {3, 5, 1, 1, 1, 1, 1, 0},       // all sizes 1
      {16, 16, 5, 5, 1, 1, 1, 0},     // a partial step, one block
      {40, 50, 9, 7, 1, 1, 2, 0},     // channels that do not fill planes, strides
      {64, 33, 4, 9, 1, 1, 1, 0},     // whole steps
      {80, 70, 23, 31, 1, 1, 1, 0},   // zeros before the last channels, several bands
      {144, 24, 6, 11, 1, 1, 3, 0},   //
      {20, 40, 17, 35, 3, 3, 1, 1},   // several tiles per line
      {96, 48, 7, 7, 3, 3, 1, 1},     // two lines per tile
      {32, 40, 5, 3, 3, 3, 1, 1},     // three lines, the last tile with fewer
      {24, 30, 4, 2, 3, 2, 1, 1},     //
      {48, 64, 15, 14, 3, 3, 2, 1},   //
      {16, 48, 14, 14, 5, 5, 1, 2},   // two steps per kernel row
      {16, 20, 12, 19, 7, 7, 3, 3},   //
      {33, 17, 6, 40, 1, 7, 1, 3},    //
      {33, 17, 40, 6, 7, 1, 1, 3},    //
      {64, 64, 9, 8, 3, 3, 1, 1, 2},  // groups
  };
  constexpr TiledShape kLargeShapes[] = {
      {1024, 1312, 2, 4, 1, 1, 1, 0},  // weights that do not stay in the cache
      {128, 20, 40, 40, 3, 3, 1, 1},   // several bands of rows
  };
  std::vector<TiledShape> shapes(std::begin(kShapes), std::end(kShapes));
  if (test_level() != TestLevel::kQuick) shapes.insert(shapes.end(), std::begin(kLargeShapes), std::end(kLargeShapes));
  std::mt19937 generator(4);
  const auto sets = kernels::supported_instruction_sets();
  const bool has_tiles = std::find(sets.begin(), sets.end(), InstructionSet::kAvx512Amx) != sets.end();
  if (!has_tiles) skip("this machine has no AMX: its kernel is not compared");
  if (!has_tiles && test_level() == TestLevel::kQuick) return;  // other kernels have separate tests
  bool alternates = false;
  for (const TiledShape& shape : shapes) {
    alternates = !alternates;
    for (const bool has_exponents : {true, false}) {
      if (test_level() == TestLevel::kQuick && has_exponents != alternates) continue;
      S8Layer layer = tiled_layer(generator, shape);
      if (has_exponents)
        draw_scales(layer, generator);
      else
        draw_real_scales(layer, generator);
      CHECK(check_kernels(generator, layer).contains("conv.s8.amx16") == has_tiles);
    }
  }
}

TEST_CASE("The Winograd s8 kernel is selected without dot products, if sums cannot overflow and it is faster") {
  std::mt19937 generator(3);
  const auto chosen = [&](int channels, const Shape& image, InstructionSet set) {
    S8Layer layer = winograd_layer(generator, channels, image);
    draw_scales(layer, generator);
    std::string name;
    make_case(layer, Layout::kBlocked16, Layout::kBlocked16, layer.weights).with_spec([&](const OperatorSpec& spec) {
      name = kernels::operators().select(spec, set)->name;
    });
    return name;
  };
  CHECK(chosen(64, {14, 14}, InstructionSet::kNeon) == "conv.s8.winograd16");
  CHECK(chosen(64, {14, 14}, InstructionSet::kNeonDotprod) == "conv.s8.direct16.dot4");
  for (const InstructionSet set : {InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    CHECK(chosen(64, {28, 28}, set) == "conv.s8.winograd16.wide");
    CHECK(chosen(66, {28, 28}, set) == "conv.s8.direct16");
    CHECK(chosen(64, {4, 8}, set) == "conv.s8.direct16");
  }
  CHECK(chosen(64, {14, 14}, InstructionSet::kAvx512Vnni) == "conv.s8.direct16.vnni");
  CHECK(chosen(64, {14, 14}, InstructionSet::kAvx512Amx) == (HWY_ARCH_X86 ? "conv.s8.amx16" : "conv.s8.direct16.vnni"));
  CHECK(chosen(66, {14, 14}, InstructionSet::kNeon) == "conv.s8.direct16");  // a step has four channels
  CHECK(chosen(64, {4, 8}, InstructionSet::kNeon) == "conv.s8.direct16");    // few tiles
  CHECK(chosen(3640, {8, 8}, InstructionSet::kNeon) == "conv.s8.winograd16");
  CHECK(chosen(3644, {8, 8}, InstructionSet::kNeon) == "conv.s8.direct16");
}

TEST_CASE("Scratch of an impossibly large s8 stem saturates instead of wrapping around") {
  constexpr int kRows = 1 << 23;  // 2^40 columns each, twice: 2^64 bytes
  const Shape images{1, 1, 1, int64_t{1} << 40};
  ops::Conv conv;
  conv.kernel = {kRows, 1};
  conv.stride = conv.dilation = {1, 1};
  conv.pad_begin = {kRows - 1, 0};
  conv.pad_end = {0, 0};
  OperatorCase c(conv);
  c.input(with_exponent(shape_only(images, DataType::kS8), 0));
  c.input(as_constant(with_exponent(tensor_s8({1, 1, kRows, 1}, std::vector<int>(kRows, 1)), 0))).input(absent());
  c.output_s8(images, 0, Layout::kBlocked16);
  c.with_spec([](const OperatorSpec& spec) {
    const auto kernel = kernels::prepare_conv_s8_stem16(spec);
    INFO(kernel.error().to_string());
    REQUIRE(kernel);
    CHECK((*kernel)->scratch(1).per_thread > size_t{1} << 63);
  });
}

}  // namespace nestrt::test
