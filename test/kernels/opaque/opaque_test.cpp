// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "kernels/registry.h"
#include "test/support/kernel/exact.h"

namespace nestrt::test {
namespace {

ops::Opaque opaque(std::vector<int64_t> results) {
  ops::Opaque table;
  table.results = std::move(results);
  return table;
}

constexpr auto kF32 = static_cast<int64_t>(DataType::kF32), kS8 = static_cast<int64_t>(DataType::kS8);

std::string infer_error_of(std::vector<int64_t> results) {
  OperatorCase c(opaque(std::move(results)));
  c.input(tensor({2}, std::vector<float>{1, 2}));
  return infer_error(c);
}

TEST_CASE("Opaque infers the results that it lists") {
  OperatorCase c(opaque({kF32, 2, 3, 4, kS8, 0}));
  c.input(tensor({2}, std::vector<float>{1, 2})).output(DataType::kF32, {3, 4}).output(DataType::kS8, {});
  CHECK(infer_error(c) == "");
}

TEST_CASE("Opaque rejects invalid results") {
  std::vector<int64_t> many;
  for (int i = 0; i < 65; ++i) many.insert(many.end(), {kF32, 0});
  for (const std::vector<int64_t>& results : {std::vector<int64_t>{},
                                              {kF32},
                                              {kF32, 2, 3},
                                              {kF32, 0, 3},
                                              {kF32, -1},
                                              {kF32, 0, 99, 0},
                                              {99, 0},
                                              {-1, 0},
                                              {256, 0},
                                              many})
    CHECK_THAT(infer_error_of(results), Catch::Contains("results must list 1 to 64 outputs"));
  CHECK_THAT(infer_error_of({kF32, 1, -3}), Catch::Contains("negative dimension"));
  CHECK_THAT(infer_error_of({kF32, 2, int64_t{1} << 40, int64_t{1} << 40}), Catch::Contains("2^40 elements"));
  CHECK_THAT(infer_error_of({kF32, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1}), Catch::Contains("dimensions, at most"));
  many.resize(128);
  CHECK(infer_error_of(many).find("results must list") == std::string::npos);
}

TEST_CASE("No kernel supports Opaque") { CHECK(kernels::operators().find(ops::Kind::kOpaque)->kernels.get().empty()); }

}  // namespace
}  // namespace nestrt::test
