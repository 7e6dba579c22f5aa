#include "compiler-lite/codegen/evta/stem.h"

#include <catch2/catch.hpp>

#include "compiler-lite/codegen/evta/conv.h"
#include "compiler-lite/codegen/evta/tuner.h"
#include "drivers/evta/driver/reblock.h"
#include "test/compiler-lite/codegen/evta/layer_runner.h"

namespace nestrt::test {
namespace {

using compiler::evta::ConvLayer;
using compiler::evta::LayerAxis;
using compiler::evta::Stem;

Shape picture_of(const ConvLayer& layer) { return {layer.images, layer.in_channels, layer.y.input, layer.x.input}; }

// As the driver brings it to the device; channels that do not exist are noise.
std::vector<std::byte> folded(const ConvLayer& layer, const Stem& stem, int64_t block, const Elements& input,
                              std::mt19937& generator) {
  const int64_t blocks = (stem.layer.in_channels + block - 1) / block;
  const Elements noise =
      random_elements(generator, stem.layer.images * blocks * block * stem.layer.y.input * stem.layer.x.input);
  const auto* begin = reinterpret_cast<const std::byte*>(noise.data());
  std::vector<std::byte> bytes(begin, begin + noise.size());
  const auto folding = find_folding(picture_of(layer), block, bytes.size());
  REQUIRE(folding.has_value());
  REQUIRE(folding->fold == stem.fold);
  evta::to_folded_blocks(*folding, reinterpret_cast<const std::byte*>(input.data()), bytes.data());
  return bytes;
}

// Fails unless the program of the folded layer computes the layer itself.
void check_stem(const ConvLayer& layer, int64_t fold, const evta::Configuration& configuration,
                std::mt19937& generator) {
  INFO("kernel " << layer.y.kernel << " stride " << layer.y.stride << " on " << configuration.name);
  const auto stem = compiler::evta::make_stem(layer, configuration.block());
  INFO(stem.error().to_string());
  REQUIRE(stem.has_value());
  REQUIRE(stem->fold == fold);
  REQUIRE(stem->layer.y.output() == layer.y.output());
  REQUIRE(stem->layer.x.output() == layer.x.output());
  const auto conv = compiler::evta::ConvGenerator::create(configuration, stem->layer);
  REQUIRE(conv.has_value());
  const auto tuned = compiler::evta::tune(*conv);
  REQUIRE(tuned.has_value());
  const auto program = conv->generate(tuned->tiling);
  REQUIRE(program.has_value());
  const Elements input = random_elements(generator, input_size(layer));
  std::string message;
  const auto output = run(*program, {folded(layer, *stem, configuration.block(), input, generator)}, &message);
  INFO(message);
  REQUIRE(!output.empty());
  REQUIRE(from_blocks(output, layer.images, layer.out_channels, configuration.block()) == reference(layer, input, {}));
}

TEST_CASE("A stem computes the same with pixels folded into channels") {
  std::mt19937 generator(1);
  const auto& configuration =
      *evta::find_configuration(GENERATE(as<std::string>(), "1x16_15_15_18_17", "1x32_15_15_18_17"));
  struct Case {
    int64_t channels;
    LayerAxis axis;  // input, kernel, stride, pads
    int64_t fold;
  };
  const Case cases[] = {
      {3, {17, 7, 2, 3, 2}, 2},   // ResNet's, an odd picture
      {3, {18, 7, 2, 3, 3}, 2},   // the last row of pads in no window
      {3, {16, 3, 2, 0, 0}, 2},   // SqueezeNet's: the last pixel in no window
      {3, {16, 3, 2, 1, 0}, 2},   // MobileNet's
      {3, {11, 4, 2, 0, 0}, 2},   // nor the last folded pixel
      {4, {12, 4, 2, 1, 1}, 2},   // whole blocks
      {1, {19, 11, 4, 2, 1}, 4},  // one channel
      {3, {9, 3, 1, 1, 1}, 1},    // no stride
      {20, {9, 3, 2, 1, 1}, 1},   // channels that fill blocks without
  };
  for (const Case& c : cases) {
    ConvLayer layer = random_conv(generator, c.channels, 20, c.axis);
    layer.images = 2;
    check_stem(layer, c.fold, configuration, generator);
  }
  ConvLayer oblong = random_conv(generator, 3, 16, {12, 5, 2, 1, 2});
  oblong.x = {21, 7, 2, 3, 3};
  oblong.weights = random_elements(generator, 16 * 3 * 5 * 7);
  check_stem(oblong, 2, configuration, generator);
}

TEST_CASE("What is no convolution of a picture is no stem") {
  std::mt19937 generator(1);
  CHECK_FALSE(compiler::evta::make_stem(random_conv(generator, 4, 4, {9, 3, 2, 1, 1}, 2), 16));
  ConvLayer contradiction = random_conv(generator, 3, 4, {9, 3, 2, 1, 1});
  contradiction.weights.pop_back();
  CHECK_FALSE(compiler::evta::make_stem(contradiction, 16));
}

}  // namespace
}  // namespace nestrt::test
