// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/packing/packing.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "runtime/kernel/packing.h"

namespace nestrt::kernels {
namespace {

template <typename T = float>
std::vector<T> packed(Packing packing, const Shape& shape) {
  std::vector<T> plain(static_cast<size_t>(shape.num_elements()));
  std::iota(plain.begin(), plain.end(), T{1});
  std::vector<T> result(static_cast<size_t>(packed_bytes(packing, shape)) / sizeof(T));
  pack_weights(packing, shape, plain.data(), result.data());
  std::vector<T> back(plain.size());
  unpack_weights(packing, shape, result.data(), back.data());
  CHECK(back == plain);
  return result;
}

}  // namespace

TEST_CASE("Packed weights contain sixteen adjacent outputs") {
  const Shape shape{17, 18, 1, 2};
  const std::vector<float> o16i16 = packed(Packing::kO16i16, shape);
  REQUIRE(o16i16.size() == 32 * 18 * 2);
  CHECK(o16i16[1] == 1 + 36);           // output 1, channel 0, position 0
  CHECK(o16i16[16] == 1 + 2);           // output 0, channel 1, position 0
  CHECK(o16i16[16 * 16] == 1 + 1);      // output 0, channel 0, position 1
  CHECK(o16i16[2 * 16 * 16] == 33);     // output 0, channel 16: the short block
  CHECK(o16i16[18 * 2 * 16 + 1] == 0);  // output 17 does not exist
  const std::vector<float> stem = packed(Packing::kStem16, shape);
  CHECK(stem[16] == 1 + 1);  // output 0, channel 0, position 1
  CHECK(stem[32] == 1 + 2);  // output 0, channel 1, position 0
}

TEST_CASE("Depthwise and matrix packings put outputs innermost") {
  const std::vector<float> depthwise = packed(Packing::kDepthwise16, {3, 1, 2});
  CHECK(std::vector<float>(depthwise.begin(), depthwise.begin() + 4) == std::vector<float>{1, 3, 5, 0});
  CHECK(depthwise[16] == 2);
  const std::vector<float> panel = packed(Packing::kPanel16, {2, 17});
  REQUIRE(panel.size() == 64);
  CHECK(panel[16] == 18);
  CHECK(panel[32] == 17);
  CHECK(panel[33] == 0);
}

TEST_CASE("Packed s8 weights contain whole blocks of input channels") {
  const Shape shape{2, 18, 1, 2};  // element [o, i, 0, s] is 1 + 36 o + 2 i + s
  const std::vector<int8_t> o16i4 = packed<int8_t>(Packing::kS8O16i4, shape);
  REQUIRE(o16i4.size() == 16 * 32 * 2);
  CHECK(o16i4[1] == 3);             // output 0, channel 1, position 0
  CHECK(o16i4[4] == 37);            // output 1, channel 0
  CHECK(o16i4[8] == 0);             // output 2 does not exist
  CHECK(o16i4[64] == 1 + 8);        // output 0, channel 4
  CHECK(o16i4[256] == 2);           // output 0, channel 0, position 1
  CHECK(o16i4[512 + 1] == 1 + 34);  // output 0, channel 17
  CHECK(o16i4[512 + 2] == 0);       // channel 18 does not exist
  const std::vector<int8_t> depthwise = packed<int8_t>(Packing::kS8Depthwise16, {3, 1, 2});
  CHECK(std::vector<int8_t>(depthwise.begin(), depthwise.begin() + 4) == std::vector<int8_t>{1, 3, 5, 0});
  CHECK(depthwise[16] == 2);
}

TEST_CASE("s8 weights of a stem are packed column by column") {
  const std::vector<int8_t> stem = packed<int8_t>(Packing::kS8Stem, {2, 2, 3, 2});  // 1 + 12 o + 6 i + 2 h + w
  REQUIRE(stem.size() == 16 * 16);
  CHECK(stem[1] == 3);            // output 0, channel 0, row 1, column 0
  CHECK(stem[4] == 13);           // output 1
  CHECK(stem[3] == 7);            // channel 1, row 0
  CHECK(stem[64 + 2] == 2);       // channel 0, row 0, column 1
  CHECK(stem[2 * 64 + 3] == 12);  // the last of output 0
  CHECK(stem[3 * 64] == 0);       // past the last
}

TEST_CASE("Packed s8 matrices contain whole blocks of inputs") {
  const std::vector<int8_t> panel = packed<int8_t>(Packing::kS8Panel, {5, 17});  // 1 + 17 k + n
  REQUIRE(panel.size() == 32 * 16);
  CHECK(panel[1] == 18);        // output 0, input 1
  CHECK(panel[4] == 2);         // output 1, input 0
  CHECK(panel[64] == 69);       // output 0, input 4
  CHECK(panel[65] == 0);        // input 5 does not exist
  CHECK(panel[16 * 16] == 17);  // output 16
}

TEST_CASE("Winograd weights contain the transforms of kernels and unpack within rounding") {
  const Shape shape{17, 2, 3, 3};
  std::vector<float> plain(17 * 2 * 9), back(plain.size());
  for (size_t i = 0; i < plain.size(); ++i) plain[i] = static_cast<float>(i % 23) - 11;
  std::vector<float> packed(static_cast<size_t>(packed_bytes(Packing::kWinograd16, shape)) / sizeof(float));
  REQUIRE(packed.size() == 32 * 2 * 36);
  pack_weights(Packing::kWinograd16, shape, plain.data(), packed.data());
  const size_t position = 2 * 16;                  // floats between positions
  CHECK(packed[1] == plain[18]);                   // output 1, channel 0: corners are the kernel's
  CHECK(packed[16] == plain[9]);                   // output 0, channel 1
  CHECK(packed[5 * position] == plain[2]);         // position (0, 5)
  CHECK(packed[35 * position] == plain[8]);        // position (5, 5)
  CHECK(packed[36 * position] == plain[16 * 18]);  // output 16 begins the next block
  CHECK(packed[36 * position + 1] == 0);           // output 17 does not exist
  CHECK(packed[position] == Approx(-(2 * plain[0] + std::sqrt(2.0) * plain[1] + plain[2]) / 3));
  unpack_weights(Packing::kWinograd16, shape, packed.data(), back.data());
  for (size_t i = 0; i < plain.size(); ++i) CHECK(std::abs(back[i] - plain[i]) <= 11 * std::ldexp(1.0, -21));
  packed[1] = 99;
  CHECK(has_zero_padding(Packing::kWinograd16, shape, packed.data()));
  packed[36 * position + 1] = 99;
  CHECK_FALSE(has_zero_padding(Packing::kWinograd16, shape, packed.data()));
}

TEST_CASE("Winograd weights of s8 contain the transforms of kernels in 16 bits and unpack exactly") {
  const Shape shape{17, 4, 3, 3};
  std::vector<int8_t> plain(17 * 4 * 9, -128), back(plain.size());
  for (size_t i = 0; i < 16 * 4 * 9; ++i) plain[i] = static_cast<int8_t>(i * 89 % 256);
  std::vector<int8_t> packed(static_cast<size_t>(packed_bytes(Packing::kS8Winograd16, shape)));
  REQUIRE(packed.size() == 32 * 4 * 36 * 2);
  pack_weights(Packing::kS8Winograd16, shape, plain.data(), packed.data());
  const auto at = [&](size_t element) {
    int16_t value;
    std::memcpy(&value, &packed[element * 2], sizeof value);
    return int{value};
  };
  const size_t position = 4 * 16, block = 36 * position;
  CHECK(at(1) == 225 * plain[36]);             // output 1, channel 0: corners are the kernel's
  CHECK(at(16) == 225 * plain[9]);             // output 0, channel 1
  CHECK(at(5 * position) == 225 * plain[2]);   // position (0, 5)
  CHECK(at(35 * position) == 225 * plain[8]);  // position (5, 5)
  CHECK(at(7 * position) == 25 * std::accumulate(plain.begin(), plain.begin() + 9, 0));  // position (1, 1)
  CHECK(at(block) == -225 * 128);  // output 16 begins the next block
  CHECK(at(block + 7 * position) == -225 * 128);
  CHECK(at(block + 1) == 0);  // output 17 does not exist
  unpack_weights(Packing::kS8Winograd16, shape, packed.data(), back.data());
  CHECK(back == plain);
  for (const size_t byte : {(block + 1) * 2, (block + 1) * 2 + 1}) {
    packed[byte] = 1;
    CHECK_FALSE(has_zero_padding(Packing::kS8Winograd16, shape, packed.data()));
    packed[byte] = 0;
  }
  CHECK(has_zero_padding(Packing::kS8Winograd16, shape, packed.data()));
}

TEST_CASE("Packed sizes are rejected if the packing does not fit or the size overflows") {
  CHECK(packed_bytes(Packing::kNone, {3, 5}) == 60);
  CHECK(packed_bytes(Packing::kPanel16, {3, 5}) == 3 * 16 * 4);
  CHECK(packed_bytes(Packing::kPanel16, {3, 5, 1}) == -1);
  CHECK(packed_bytes(Packing::kDepthwise16, {3, 2, 3, 3}) == -1);
  CHECK(packed_bytes(Packing::kO16i16, {3, 2}) == -1);
  CHECK(packed_bytes(Packing::kO16i16, {int64_t{1} << 60, 16, 3}) == -1);
  CHECK(packed_bytes(static_cast<Packing>(99), {3, 2, 1}) == -1);
}

namespace {

// Returns whether the element is in the output padding of a matrix, at an existing channel. Such padding is not
// checked.
bool is_unchecked_padding(Packing packing, const Shape& shape, ptrdiff_t element) {
  const PackingRow& row = row_of(packing);
  if (row.form != PackedForm::kMatrix) return false;
  const int64_t block = row.whole_blocks ? row.channel_block : 1, group = row.channel_group;
  const int64_t per_output_block = (shape[0] + block - 1) / block * block * kPackedOutputs;
  const int64_t first_output = element / per_output_block * kPackedOutputs;
  const int64_t output = first_output + element / group % kPackedOutputs;
  const int64_t channel = element % per_output_block / (kPackedOutputs * group) * group + element % group;
  return output >= shape[1] && channel < shape[0];
}

// Corrupts every packed element in turn. has_zero_padding() must detect exactly those that unpacking ignores.
template <typename T>
void check_padding_is_verified(Packing packing, const Shape& shape) {
  CAPTURE(name(packing), shape.to_string());
  std::vector<T> elements = packed<T>(packing, shape);
  REQUIRE(has_zero_padding(packing, shape, elements.data()));
  std::vector<T> expected(static_cast<size_t>(shape.num_elements())), plain(expected.size());
  unpack_weights(packing, shape, elements.data(), expected.data());
  for (T& element : elements) {
    const T before = std::exchange(element, T{99});
    unpack_weights(packing, shape, elements.data(), plain.data());
    const bool is_padding =
        before != T{99} && plain == expected && !is_unchecked_padding(packing, shape, &element - &elements[0]);
    CHECK(has_zero_padding(packing, shape, elements.data()) == !is_padding);
    element = before;
  }
}

}  // namespace

TEST_CASE("Non-zero padding is detected at every position") {
  for (const int64_t outputs : {16, 17})
    for (const int64_t channels : {1, 4, 16, 18}) {
      check_padding_is_verified<float>(Packing::kO16i16, {outputs, channels, 2});
      check_padding_is_verified<float>(Packing::kStem16, {outputs, channels, 2});
      check_padding_is_verified<float>(Packing::kPanel16, {channels, outputs});
      check_padding_is_verified<int8_t>(Packing::kS8O16i4, {outputs, channels, 2});
      check_padding_is_verified<int8_t>(Packing::kS8Stem, {outputs, channels, 2});
      check_padding_is_verified<int8_t>(Packing::kS8Panel, {channels, outputs});
    }
  check_padding_is_verified<float>(Packing::kDepthwise16, {17, 1, 3});
  check_padding_is_verified<int8_t>(Packing::kS8Depthwise16, {17, 1, 3});
}

}  // namespace nestrt::kernels
