// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/memory/widen.h"

#include <catch2/catch.hpp>
#include <random>

#include "kernels/common/quantization/s8_arithmetic.h"
#include "runtime/core/channel_blocks.h"
#include "test/support/test_level.h"

namespace nestrt::evta {
namespace {

struct Accumulators {
  Widening shape;
  int64_t channels = 0;           // channels of the whole tensor
  std::vector<int8_t> exponents;  // exponents of the weights, per channel
  std::vector<std::byte> bytes;   // the accelerator's bytes of the slice
  std::vector<float> expected;    // the converted elements, in blocks of 16
};

int32_t random_accumulator(std::mt19937& random) {
  constexpr int32_t kExtremes[] = {0, -1, 1, 127, 128, -128, 255, 256, INT32_MAX, INT32_MIN, 1 << 24, (1 << 24) + 1};
  const bool is_extreme = random() % 4 == 0;
  return is_extreme ? kExtremes[random() % std::size(kExtremes)] : static_cast<int32_t>(random());
}

// Returns a slice of a tensor: consecutive blocks of 16 channels, of which the first and the last may lack pixels.
Accumulators random_accumulators(std::mt19937& random, int64_t block) {
  const auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  Accumulators made;
  Widening& shape = made.shape;
  shape.block = block;
  shape.pixels = draw(1, 150);
  const int64_t blocks = draw(1, 7), parts = block / 16;
  made.channels = blocks * 16 - draw(0, 15);
  const bool has_whole_blocks = block > 16 || draw(0, 1) == 0;
  shape.images = has_whole_blocks ? draw(1, 2) : 1;
  const int64_t first_block = shape.images > 1 ? 0 : draw(0, (blocks - 1) / parts) * parts;
  const int64_t begin = first_block * shape.pixels, end = blocks * shape.pixels;
  shape.first_vector = begin + (has_whole_blocks ? 0 : draw(0, shape.pixels - 1));
  shape.vectors = has_whole_blocks ? end - begin : draw(1, end - shape.first_vector);
  shape.channels = made.channels;
  shape.input_exponent = static_cast<int>(draw(-8, 8));
  const bool is_by_channel = draw(0, 3) > 0;
  for (int64_t c = 0; c < (is_by_channel ? made.channels : 1); ++c)
    made.exponents.push_back(static_cast<int8_t>(draw(-88, 88)));
  const int64_t plane = shape.plane_bytes();
  made.bytes.resize(static_cast<size_t>(4 * plane));
  const ChannelBlocks there{(blocks - first_block) * 16, shape.pixels, block};
  for (int64_t image = 0; image < shape.images; ++image)
    for (int64_t vector = shape.first_vector; vector < shape.first_vector + shape.vectors; ++vector)
      for (int64_t lane = 0; lane < 16; ++lane) {
        const int64_t channel = vector / shape.pixels * 16 + lane;
        const int32_t sum = random_accumulator(random);
        const int64_t at = has_whole_blocks ? there.index(image, channel - first_block * 16, vector % shape.pixels)
                                            : (vector - shape.first_vector) * 16 + lane;
        for (int64_t byte = 0; byte < 4; ++byte)
          made.bytes[static_cast<size_t>(byte * plane + at)] =
              static_cast<std::byte>(static_cast<uint32_t>(sum) >> (8 * byte));
        const bool exists = channel < made.channels;
        const int8_t exponent = exists ? made.exponents[is_by_channel ? static_cast<size_t>(channel) : 0] : int8_t{0};
        made.expected.push_back(exists ? kernels::s8::widen(sum, shape.input_exponent + exponent) : 0.0F);
      }
  return made;
}

TEST_CASE("Accumulator bytes convert to the same f32 values as in the CPU's kernels") {
  std::mt19937 random(1);
  const int64_t block = GENERATE(16, 32);
  for (int i = 0; i < nestrt::test::by_level(20, 200, 5000); ++i) {
    Accumulators made = random_accumulators(random, block);
    made.shape.exponents = made.exponents;
    CAPTURE(i, block, made.channels, made.shape.images, made.shape.pixels, made.shape.first_vector, made.shape.vectors);
    std::vector<float> results(made.expected.size() + 1, -7.0F);  // one guard element
    REQUIRE(made.shape.host_bytes() == made.expected.size() * sizeof(float));
    widen(made.shape, made.bytes.data(), reinterpret_cast<std::byte*>(results.data()));
    CHECK(results.back() == -7.0F);
    results.pop_back();
    CHECK(results == made.expected);
  }
}

}  // namespace
}  // namespace nestrt::evta
