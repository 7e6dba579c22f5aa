// SPDX-License-Identifier: Apache-2.0
// Tests that unlikely preprocessing causes warnings and common preprocessing does not.
#include "tools/support/image/preprocessing_warnings.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "nestrt/plan.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::tools {
namespace {

using Catch::Matchers::Contains;

Preprocessing pixels(std::vector<float> mean, std::vector<float> scale) {
  Preprocessing preprocessing;
  preprocessing.mean = std::move(mean);
  preprocessing.scale = std::move(scale);
  return preprocessing;
}

// Returns tables with a quantized input whose range extends to 127 * 2^-exponent.
plan::Tables quantized_at(int8_t exponent) {
  plan::Tables tables;
  tables.inputs = {{0, std::nullopt}};
  tables.tensors.resize(2);
  tables.tensors[1].type = DataType::kS8;
  tables.tensors[1].quantization.emplace().exponents = {exponent};
  plan::Operator& op = tables.operators.emplace_back();
  op.attributes = ops::Quantize();
  op.inputs = {0};
  op.outputs = {1};
  return tables;
}

TEST_CASE("A mean for pixels from 0 to 1 and a scale that is a standard deviation cause warnings") {
  CHECK(remarks_on({}).empty());
  CHECK(remarks_on(pixels({128}, {0.0078125F})).empty());
  CHECK(remarks_on(pixels({0, 0, 0}, {1, 1, 1})).empty());
  const auto both = remarks_on(pixels({0.485F, 0.456F, 0.406F}, {4.36F, 4.46F, 4.44F}));
  REQUIRE(both.size() == 2);
  CHECK_THAT(both[0], Contains("--mean is at most 1"));
  CHECK_THAT(both[1], Contains("--scale is more than 1"));
  CHECK(remarks_on(pixels({123, 117, 104}, {58, 57, 57})).size() == 1);
}

TEST_CASE("Scales or means with the wrong sign, means outside the pixel range and negligible scales cause warnings") {
  const auto check_remark = [](const Preprocessing& preprocessing, const std::string& part) {
    const auto remarks = remarks_on(preprocessing);
    REQUIRE(remarks.size() == 1);
    CHECK_THAT(remarks[0], Contains(part));
  };
  check_remark(pixels({-128}, {0.0078125F}), "--mean is less than 0");
  check_remark(pixels({1000}, {0.0078125F}), "--mean is more than 255");
  check_remark(pixels({128}, {-0.0078125F}), "--scale is less than 0");
  check_remark(pixels({128}, {1e-9F}), "almost 0");
}

TEST_CASE("NaN causes no warning, because it is an error") {
  CHECK(remarks_on(pixels({128}, {NAN})).empty());
  CHECK(remarks_on(pixels({NAN}, {0.0078125F})).empty());
}

TEST_CASE("Images that exceed or hardly use the range of a plan's input cause warnings") {
  const Preprocessing around_zero = pixels({123, 117, 104}, {1});  // -123 to 151
  CHECK(remark_on_range(quantized_at(0), around_zero).empty());
  CHECK(remark_on_range(quantized_at(-1), around_zero).empty());
  CHECK_THAT(remark_on_range(quantized_at(6), around_zero), Contains("-123 to 151 (--mean 123,117,104)"));
  CHECK_THAT(remark_on_range(quantized_at(-1), pixels({128}, {0.0078125F})), Contains("-256 to 254"));
  CHECK(remark_on_range(quantized_at(7), pixels({128}, {0.0078125F})).empty());
  plan::Tables unread;
  unread.inputs = {{0, std::nullopt}};
  CHECK(remark_on_range(unread, around_zero).empty());
}

TEST_CASE("The range of integers with a zero point is computed from scale and zero point") {
  plan::Tables tables = quantized_at(0);
  tables.tensors[1].type = DataType::kU8;
  plan::Quantization& quantization = tables.tensors[1].quantization.emplace();
  quantization.scales = {0.02F};
  quantization.zero_points = {114};
  CHECK(remark_on_range(tables, pixels({114, 114, 114}, {0.0175F})).empty());
  CHECK_FALSE(remark_on_range(tables, {}).empty());
}

}  // namespace
}  // namespace nestrt::tools
