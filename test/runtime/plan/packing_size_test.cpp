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

TEST_CASE("Packings have no size for shapes that they do not apply to") {
  CHECK_FALSE(packed_size_bytes(Packing::none, {2, 2}));
  CHECK_FALSE(packed_size_bytes(Packing::o16i16, {2, 2}));
  CHECK_FALSE(packed_size_bytes(Packing::panel16, {2, 2, 2}));
  CHECK_FALSE(packed_size_bytes(static_cast<Packing>(99), {2, 2}));
}

}  // namespace
}  // namespace nestrt
