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

std::string complaint_about(std::vector<int64_t> results) {
  OperatorCase c(opaque(std::move(results)));
  c.input(tensor({2}, std::vector<float>{1, 2}));
  return complaint(c);
}

TEST_CASE("Opaque gives the results that it states") {
  OperatorCase c(opaque({kF32, 2, 3, 4, kS8, 0}));
  c.input(tensor({2}, std::vector<float>{1, 2})).output(DataType::kF32, {3, 4}).output(DataType::kS8, {});
  CHECK(complaint(c) == "");
}

TEST_CASE("Opaque refuses results that cannot be") {
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
    CHECK_THAT(complaint_about(results), Catch::Contains("results are not 1 to 64 types that exist"));
  CHECK_THAT(complaint_about({kF32, 1, -3}), Catch::Contains("negative dimension"));
  CHECK_THAT(complaint_about({kF32, 2, int64_t{1} << 40, int64_t{1} << 40}), Catch::Contains("2^40 elements"));
  CHECK_THAT(complaint_about({kF32, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1}), Catch::Contains("dimensions, at most"));
  many.resize(128);
  CHECK(complaint_about(many).find("results are not") == std::string::npos);
}

TEST_CASE("No kernel takes Opaque") { CHECK(kernels::operators().find(ops::Kind::kOpaque)->kernels.get().empty()); }

}  // namespace
}  // namespace nestrt::test
