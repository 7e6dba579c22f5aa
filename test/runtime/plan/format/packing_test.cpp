// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernel/packing.h"

#include <catch2/catch.hpp>
#include <string_view>
#include <vector>

namespace nestrt {
namespace {

TEST_CASE("Packed constants round output channels up to a multiple of 16") {
  CHECK(packed_size_bytes(Packing::kO16i16, {20, 3, 3, 3}) == 32 * 3 * 9 * 4);
  CHECK(packed_size_bytes(Packing::kStem16, {16, 3, 7, 7}) == 16 * 3 * 49 * 4);
  CHECK(packed_size_bytes(Packing::kDepthwise16, {17, 1, 3, 3}) == 32 * 9 * 4);
  CHECK(packed_size_bytes(Packing::kPanel16, {5, 17}) == 5 * 32 * 4);
  CHECK(packed_size_bytes(Packing::kWinograd16, {20, 3, 3, 3}) == 32 * 3 * 36 * 4);
  CHECK(packed_size_bytes(Packing::kWinograd16Two, {20, 3, 3, 3}) == 32 * 3 * 16 * 4);
  CHECK(packed_size_bytes(Packing::kWinograd16Strided, {20, 3, 3, 3}) == 32 * 3 * 16 * 4);
}

TEST_CASE("s8 packings also round input channels up to a multiple of 16 if the operator reduces over them") {
  CHECK(packed_size_bytes(Packing::kS8O16i4, {20, 3, 3, 3}) == 32 * 16 * 9);
  CHECK(packed_size_bytes(Packing::kS8O16i4, {16, 17, 7}) == 16 * 32 * 7);
  CHECK(packed_size_bytes(Packing::kS8Depthwise16, {17, 1, 3, 3}) == 32 * 9);
  CHECK(packed_size_bytes(Packing::kS8Stem, {17, 3, 3, 3}) == 32 * 32);
  CHECK(packed_size_bytes(Packing::kS8Panel, {17, 20}) == 32 * 32);
  CHECK(packed_size_bytes(Packing::kS8Winograd16, {20, 4, 3, 3}) == 32 * 4 * 36 * 2);
  CHECK(packed_type(Packing::kS8Depthwise16) == DataType::kS8);
  CHECK(packed_type(Packing::kPanel16) == DataType::kF32);
}

TEST_CASE("Packings have no size for unsupported shapes") {
  CHECK_FALSE(packed_size_bytes(Packing::kNone, {2, 2}));
  CHECK_FALSE(packed_size_bytes(Packing::kO16i16, {2, 2}));
  CHECK_FALSE(packed_size_bytes(Packing::kPanel16, {2, 2, 2}));
  CHECK_FALSE(packed_size_bytes(Packing::kS8O16i4, {2, 2}));
  CHECK_FALSE(packed_size_bytes(Packing::kS8O16i4, {16, int64_t{1} << 60, 16}));
  CHECK_FALSE(packed_size_bytes(Packing::kS8Stem, {16, 3}));
  CHECK_FALSE(packed_size_bytes(Packing::kS8Stem, {1, INT64_MAX, 1}));
  CHECK_FALSE(packed_size_bytes(Packing::kS8Panel, {16, 3, 1}));
  CHECK_FALSE(packed_size_bytes(Packing::kWinograd16, {16, 3, 3}));
  CHECK_FALSE(packed_size_bytes(Packing::kWinograd16, {16, 3, 3, 5}));
  CHECK_FALSE(packed_size_bytes(Packing::kWinograd16, {16, int64_t{1} << 58, 3, 3}));
  CHECK_FALSE(packed_size_bytes(Packing::kS8Winograd16, {16, int64_t{1} << 57, 3, 3}));
  CHECK_FALSE(packed_size_bytes(static_cast<Packing>(99), {2, 2}));
}

TEST_CASE("Every packing has a name and unknown values have an empty name") {
  // Indexed by the values stored in plans.
  const std::vector<std::string_view> names = {
      "none",    "o16i16",   "stem16",     "depthwise16",   "panel16",        "s8_o16i4",          "s8_depthwise16",
      "s8_stem", "s8_panel", "winograd16", "s8_winograd16", "winograd16_two", "winograd16_strided"};
  for (size_t value = 0; value < 256; ++value)
    CHECK(name(static_cast<Packing>(value)) == (value < names.size() ? names[value] : ""));
}

}  // namespace
}  // namespace nestrt
