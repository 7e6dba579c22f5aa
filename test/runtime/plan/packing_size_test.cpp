#include "runtime/plan/packing_size.h"

#include <catch2/catch.hpp>

namespace nestrt {
namespace {

using plan::Packing;

TEST_CASE("Packed constants round output channels up to 16") {
  CHECK(packed_size_bytes(Packing::o16i16, {20, 3, 3, 3}) == 32 * 3 * 9 * 4);
  CHECK(packed_size_bytes(Packing::stem16, {16, 3, 7, 7}) == 16 * 3 * 49 * 4);
  CHECK(packed_size_bytes(Packing::depthwise16, {17, 1, 3, 3}) == 32 * 9 * 4);
  CHECK(packed_size_bytes(Packing::panel16, {5, 17}) == 5 * 32 * 4);
}

TEST_CASE("Packings of s8 round input channels up to 16 as well, where they are reduced") {
  CHECK(packed_size_bytes(Packing::s8_o16i4, {20, 3, 3, 3}) == 32 * 16 * 9);
  CHECK(packed_size_bytes(Packing::s8_o16i16, {16, 17, 7}) == 16 * 32 * 7);
  CHECK(packed_size_bytes(Packing::s8_depthwise16, {17, 1, 3, 3}) == 32 * 9);
  CHECK(packed_size_bytes(Packing::s8_stem, {17, 3, 3, 3}) == 32 * 32);
  CHECK(packed_size_bytes(Packing::s8_panel, {17, 20}) == 32 * 32);
  CHECK(packed_type(Packing::s8_depthwise16) == DataType::kS8);
  CHECK(packed_type(Packing::panel16) == DataType::kF32);
}

TEST_CASE("Packings have no size for shapes that they do not apply to") {
  CHECK_FALSE(packed_size_bytes(Packing::none, {2, 2}));
  CHECK_FALSE(packed_size_bytes(Packing::o16i16, {2, 2}));
  CHECK_FALSE(packed_size_bytes(Packing::panel16, {2, 2, 2}));
  CHECK_FALSE(packed_size_bytes(Packing::s8_o16i4, {2, 2}));
  CHECK_FALSE(packed_size_bytes(Packing::s8_o16i16, {16, int64_t{1} << 60, 16}));
  CHECK_FALSE(packed_size_bytes(Packing::s8_stem, {16, 3}));
  CHECK_FALSE(packed_size_bytes(Packing::s8_stem, {1, INT64_MAX, 1}));
  CHECK_FALSE(packed_size_bytes(Packing::s8_panel, {16, 3, 1}));
  CHECK_FALSE(packed_size_bytes(static_cast<Packing>(99), {2, 2}));
}

}  // namespace
}  // namespace nestrt
