// SPDX-License-Identifier: Apache-2.0
#include "tools/support/page/precisions.h"

#include <catch2/catch.hpp>

#include "test/support/plan/plan_builder.h"

namespace nestrt::test {
namespace {

using tools::OperatorPrecision;

// Quantize, an s8 relu, Dequantize, and an f32 silu.
plan::Tables mixed_tables() {
  PlanBuilder builder;
  const int x = builder.input("x", {4}), y = builder.output("y", {4}), real = builder.arena("real", {4});
  const int first = builder.arena("first", {4}, DataType::kS8), second = builder.arena("second", {4}, DataType::kS8);
  for (const int id : {first, second}) {
    plan::Tensor& tensor = builder.tables().tensors[static_cast<size_t>(id)];
    tensor.quantization.emplace();
    tensor.quantization->exponents = {4};
  }
  const auto unary = [](ops::UnaryKind kind) { return ops::Unary{kind, 0, 0}; };
  builder.op("quantize", ops::Quantize{}, {x}, {first});
  builder.op("relu", unary(ops::UnaryKind::kRelu), {first}, {second});
  builder.op("dequantize", ops::Dequantize{}, {second}, {real});
  builder.op("silu", unary(ops::UnaryKind::kSilu), {real}, {y});
  return builder.tables();
}

TEST_CASE("Each operator that stays f32 in an s8 plan gets a reason and a remedy") {
  const auto entries = tools::precisions(mixed_tables());
  REQUIRE(entries.size() == 4);
  CHECK(entries[0].type == "convert");
  CHECK(entries[1].type == "s8");
  CHECK(entries[1].reason.empty());
  CHECK(entries[3].type == "f32");
  CHECK(entries[3].what == "Unary silu");
  CHECK(entries[3].reason == "silu has no s8 form");
  CHECK(entries[3].remedy.find("relu6") != std::string::npos);
  CHECK(tools::counts_of(entries) == "s8: 1 operators, f32: 1, conversions: 2");
}

TEST_CASE("Reasons of the quantizer take precedence") {
  const auto entries = tools::precisions(mixed_tables(), {{"silu", "as asked"}});
  CHECK(entries[3].reason == "as asked");
  CHECK(entries[3].remedy == "remove it from --keep-f32, or lower --min-snr");
}

TEST_CASE("A plan without 8-bit operators needs no reasons") {
  PlanBuilder builder;
  const int x = builder.input("x", {4}), y = builder.output("y", {4});
  builder.op("silu", ops::Unary{ops::UnaryKind::kSilu, 0, 0}, {x}, {y});
  const auto entries = tools::precisions(builder.tables());
  CHECK(entries[0].type == "f32");
  CHECK(entries[0].reason.empty());
  CHECK(tools::count_of(entries, "s8") == 0);
}

}  // namespace
}  // namespace nestrt::test
