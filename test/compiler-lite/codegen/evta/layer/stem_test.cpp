// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/layer/stem.h"

#include <catch2/catch.hpp>

#include "compiler-lite/codegen/evta/layer/conv.h"
#include "compiler-lite/codegen/evta/tuning/tuner.h"
#include "runtime/core/channel_blocks.h"
#include "test/compiler-lite/codegen/evta/layer_runner.h"

namespace nestrt::test {
namespace {

using compiler::evta::ConvLayer;
using compiler::evta::LayerAxis;

// Returns the input as the program reads it, in blocks of `block` channels; missing channels contain noise.
std::vector<std::byte> folded(const ConvLayer& layer, const ConvLayer& stem, Layout layout, int block,
                              const Elements& input) {
  const Shape image{layer.images, layer.in_channels, layer.y.input, layer.x.input};
  const ChannelBlocks to{stem.in_channels, stem.y.input * stem.x.input, block};
  const ChannelBlocks from = stored_blocks(image, layout);
  REQUIRE(from.channels == to.channels);
  REQUIRE(from.pixels == to.pixels);
  Elements stored(static_cast<size_t>(storage_bytes(DataType::kS8, image, layout)));
  const StoredOrder order(image, layout);
  const int64_t pixels = layer.y.input * layer.x.input;
  for (size_t i = 0; i < input.size(); ++i) {
    const auto place = static_cast<int64_t>(i), plane = place / pixels;
    stored[static_cast<size_t>(order.index(plane / layer.in_channels, plane % layer.in_channels, place % pixels))] =
        input[i];
  }
  Elements plain(static_cast<size_t>(layer.images * to.channels * to.pixels));
  for (size_t i = 0; i < plain.size(); ++i) {
    const auto place = static_cast<int64_t>(i), plane = place / to.pixels;
    plain[i] = stored[static_cast<size_t>(from.index(plane / to.channels, plane % to.channels, place % to.pixels))];
  }
  return to_blocks(plain, layer.images, to.channels, block);
}

// Fails the test unless the program of the folded layer computes the original layer.
void check_stem(const ConvLayer& layer, Layout layout, const evta::Configuration& configuration,
                std::mt19937& generator) {
  INFO("kernel " << layer.y.kernel << " stride " << layer.y.stride << " on " << configuration.name);
  REQUIRE(compiler::evta::stem_layout(layer, configuration.block()) == layout);
  if (!is_folded(layout)) return;
  const ConvLayer stem = compiler::evta::folded_stem(layer, fold_of(layout));
  REQUIRE(stem.y.output() == layer.y.output());
  REQUIRE(stem.x.output() == layer.x.output());
  const auto conv = compiler::evta::ConvGenerator::create(configuration, stem);
  REQUIRE(conv.has_value());
  const auto tuned = compiler::evta::tune(*conv);
  REQUIRE(tuned.has_value());
  const auto program = conv->generate(tuned->tiling);
  REQUIRE(program.has_value());
  const Elements input = random_elements(generator, input_size(layer));
  std::string message;
  const auto output = run(*program, {folded(layer, stem, layout, configuration.block(), input)}, &message);
  INFO(message);
  REQUIRE(!output.empty());
  REQUIRE(from_blocks(output, layer.images, layer.out_channels, configuration.block()) == reference(layer, input, {}));
}

TEST_CASE("A stem produces the same results with pixels folded into channels") {
  std::mt19937 generator(1);
  const auto& configuration =
      *evta::find_configuration(GENERATE(as<std::string>(), "1x16_15_15_18_17", "1x32_15_15_18_17"));
  struct Case {
    int64_t channels;
    LayerAxis axis;  // input, kernel, stride, pads
    Layout layout;
  };
  const Case cases[] = {
      {3, {17, 7, 2, 3, 2}, Layout::kFolded2},    // ResNet's, with an odd image
      {3, {18, 7, 2, 3, 3}, Layout::kFolded2},    // the last row of pads is in no window
      {3, {16, 3, 2, 0, 0}, Layout::kFolded2},    // SqueezeNet's: the last pixel is in no window
      {3, {16, 3, 2, 1, 0}, Layout::kFolded2},    // MobileNet's
      {3, {11, 4, 2, 0, 0}, Layout::kFolded2},    // the last folded pixel is in no window
      {4, {12, 4, 2, 1, 1}, Layout::kFolded2},    // whole blocks
      {1, {19, 11, 4, 2, 1}, Layout::kFolded4},   // one channel
      {3, {24, 8, 8, 0, 0}, Layout::kFolded8},    // patches
      {3, {9, 3, 1, 1, 1}, Layout::kBlocked16},   // no stride
      {3, {18, 6, 3, 1, 1}, Layout::kBlocked16},  // a stride without a layout
      {20, {9, 3, 2, 1, 1}, Layout::kBlocked16},  // channels that fill blocks without folding
  };
  for (const Case& c : cases) {
    ConvLayer layer = random_conv(generator, c.channels, 20, c.axis);
    layer.images = 2;
    check_stem(layer, c.layout, configuration, generator);
  }
  ConvLayer oblong = random_conv(generator, 3, 16, {12, 5, 2, 1, 2});
  oblong.x = {21, 7, 2, 3, 3};
  oblong.weights = random_elements(generator, 16 * 3 * 5 * 7);
  check_stem(oblong, Layout::kFolded2, configuration, generator);
}

TEST_CASE("Only convolutions in one group are folded") {
  std::mt19937 generator(1);
  CHECK(compiler::evta::stem_layout(random_conv(generator, 4, 4, {9, 3, 2, 1, 1}, 2), 16) == Layout::kBlocked16);
  ConvLayer sum = random_conv(generator, 4, 4, {9, 3, 2, 1, 1}, 4);
  sum.weights.clear();
  CHECK(compiler::evta::stem_layout(sum, 16) == Layout::kBlocked16);
}

}  // namespace
}  // namespace nestrt::test
