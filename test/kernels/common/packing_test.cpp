#include "kernels/common/packing.h"

#include <catch2/catch.hpp>
#include <numeric>

namespace nestrt::kernels {
namespace {

std::vector<float> packed(plan::Packing packing, const Shape& shape) {
  std::vector<float> plain(static_cast<size_t>(shape.num_elements()));
  std::iota(plain.begin(), plain.end(), 1.0f);
  std::vector<float> result(static_cast<size_t>(packed_bytes(packing, shape)) / sizeof(float));
  pack_weights(packing, shape, plain.data(), result.data());
  std::vector<float> back(plain.size());
  unpack_weights(packing, shape, result.data(), back.data());
  CHECK(back == plain);
  return result;
}

}  // namespace

TEST_CASE("Packed weights hold sixteen outputs side by side") {
  const Shape shape{17, 18, 1, 2};
  const std::vector<float> o16i16 = packed(plan::Packing::o16i16, shape);
  REQUIRE(o16i16.size() == 32 * 18 * 2);
  CHECK(o16i16[1] == 1 + 36);           // output 1, channel 0, position 0
  CHECK(o16i16[16] == 1 + 2);           // output 0, channel 1, position 0
  CHECK(o16i16[16 * 16] == 1 + 1);      // output 0, channel 0, position 1
  CHECK(o16i16[2 * 16 * 16] == 33);     // output 0, channel 16: the short block
  CHECK(o16i16[18 * 2 * 16 + 1] == 0);  // output 17 does not exist
  const std::vector<float> stem = packed(plan::Packing::stem16, shape);
  CHECK(stem[16] == 1 + 1);  // output 0, channel 0, position 1
  CHECK(stem[32] == 1 + 2);  // output 0, channel 1, position 0
}

TEST_CASE("Depthwise and matrix packings put outputs innermost") {
  const std::vector<float> depthwise = packed(plan::Packing::depthwise16, {3, 1, 2});
  CHECK(std::vector<float>(depthwise.begin(), depthwise.begin() + 4) == std::vector<float>{1, 3, 5, 0});
  CHECK(depthwise[16] == 2);
  const std::vector<float> panel = packed(plan::Packing::panel16, {2, 17});
  REQUIRE(panel.size() == 64);
  CHECK(panel[16] == 18);
  CHECK(panel[32] == 17);
  CHECK(panel[33] == 0);
}

TEST_CASE("Packed bytes are refused where the packing does not fit or the size overflows") {
  CHECK(packed_bytes(plan::Packing::none, {3, 5}) == 60);
  CHECK(packed_bytes(plan::Packing::panel16, {3, 5}) == 3 * 16 * 4);
  CHECK(packed_bytes(plan::Packing::panel16, {3, 5, 1}) == -1);
  CHECK(packed_bytes(plan::Packing::depthwise16, {3, 2, 3, 3}) == -1);
  CHECK(packed_bytes(plan::Packing::o16i16, {3, 2}) == -1);
  CHECK(packed_bytes(plan::Packing::o16i16, {int64_t{1} << 60, 16, 3}) == -1);
  CHECK(packed_bytes(static_cast<plan::Packing>(99), {3, 2, 1}) == -1);
}

}  // namespace nestrt::kernels
