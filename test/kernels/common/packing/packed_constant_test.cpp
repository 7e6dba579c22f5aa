// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/packing/packed_constant.h"

#include <catch2/catch.hpp>

#include "kernels/common/packing/packing.h"

namespace nestrt::kernels {
namespace {

// Returns an s8 stem of 27 channels and one output. Of every 28 packed channels, one is padding, and so are outputs 1
// to 15.
TensorSpec stem(const std::vector<int8_t>& elements) {
  TensorSpec weights;
  weights.type = DataType::kS8;
  weights.shape = {1, 3, 3, 3};
  weights.packing = Packing::kS8Stem;
  weights.constant = reinterpret_cast<const std::byte*>(elements.data());
  return weights;
}

TEST_CASE("Weights in the requested packing are used in place") {
  const std::vector<int8_t> elements(static_cast<size_t>(packed_bytes(Packing::kS8Stem, {1, 3, 3, 3})));
  const auto packed = PackedBytes::make(stem(elements), Packing::kS8Stem);
  REQUIRE(packed);
  CHECK(packed->data() == elements.data());
}

TEST_CASE("Packed weights with non-zero padding are rejected") {
  std::vector<int8_t> elements(static_cast<size_t>(packed_bytes(Packing::kS8Stem, {1, 3, 3, 3})));
  elements.back() = 1;
  const auto packed = PackedBytes::make(stem(elements), Packing::kS8Stem);
  REQUIRE_FALSE(packed);
  CHECK(packed.error().code() == Code::kInvalidPlan);
  CHECK(packed.error().message() == "the padding of weights 1x3x3x3 in packing s8_stem is not zero");
}

}  // namespace
}  // namespace nestrt::kernels
