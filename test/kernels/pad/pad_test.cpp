// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/support/kernel/exact.h"

namespace nestrt::test {
namespace {

using ops::PadMode;

ops::Pad pad(PadMode mode, std::vector<int64_t> begin, std::vector<int64_t> end, float value = 0) {
  ops::Pad table;
  table.mode = mode;
  table.begin = std::move(begin);
  table.end = std::move(end);
  table.value = value;
  return table;
}

std::vector<float> pad_row(PadMode mode, int64_t begin, int64_t end, const std::vector<float>& row) {
  OperatorCase c(pad(mode, {begin}, {end}, 9));
  const int64_t length = static_cast<int64_t>(row.size());
  c.input(tensor({length}, row)).output(DataType::kF32, {length + begin + end});
  CHECK(infer_error(c) == "");
  return reference(c)[0].values<float>();
}

TEST_CASE("Pad fills, reflects or repeats the edge") {
  CHECK(pad_row(PadMode::kConstant, 2, 1, {1, 2, 3}) == std::vector<float>{9, 9, 1, 2, 3, 9});
  CHECK(pad_row(PadMode::kReflect, 2, 1, {1, 2, 3}) == std::vector<float>{3, 2, 1, 2, 3, 2});
  CHECK(pad_row(PadMode::kEdge, 2, 1, {1, 2, 3}) == std::vector<float>{1, 1, 1, 2, 3, 3});
}

TEST_CASE("Pad crops before it pads") {
  CHECK(pad_row(PadMode::kConstant, -1, 1, {1, 2, 3}) == std::vector<float>{2, 3, 9});
  CHECK(pad_row(PadMode::kReflect, -1, 1, {1, 2, 3}) == std::vector<float>{2, 3, 2});
  CHECK(pad_row(PadMode::kEdge, 1, -2, {1, 2, 3}) == std::vector<float>{1, 1});
  CHECK(pad_row(PadMode::kConstant, -2, -1, {1, 2, 3}).empty());
}

TEST_CASE("Pad fills integers with the saturated value") {
  OperatorCase c(pad(PadMode::kConstant, {1}, {0}, 1e30f));
  c.input(tensor({1}, std::vector<int64_t>{5})).output(DataType::kS64, {2});
  CHECK(reference(c)[0].values<int64_t>() == std::vector<int64_t>{std::numeric_limits<int64_t>::max(), 5});
}

TEST_CASE("Padding whole rows equals the reference in every mode") {
  struct Case {
    Shape shape;
    std::vector<int64_t> begin, end;
  };
  const std::vector<Case> cases = {{{7}, {3}, {2}},
                                   {{5, 6}, {2, 3}, {1, 0}},
                                   {{4, 5, 3}, {2, -1, 0}, {-1, 3, 0}},
                                   {{2, 3, 5, 6}, {0, 0, 3, 2}, {0, 0, 1, 5}},
                                   {{1, 2, 70, 300}, {0, 0, 3, 3}, {0, 0, 3, 3}},
                                   {{3, 4}, {0, 0}, {0, 0}},
                                   {{6, 4, 2}, {-2, 0, 1}, {-2, -3, 1}},
                                   {{}, {}, {}}};
  std::mt19937 generator(5);
  for (const auto& [shape, begin, end] : cases)
    for (DataType type : {DataType::kF32, DataType::kS8, DataType::kS64})
      for (PadMode mode : {PadMode::kConstant, PadMode::kReflect, PadMode::kEdge}) {
        OperatorCase c(pad(mode, begin, end, -3));
        c.input(random_bytes(generator, type, shape));
        const auto outputs = c.infer();
        if (!outputs) continue;  // reflect cannot pad that far
        c.output(type, (*outputs)[0].shape);
        INFO(shape.to_string() << " " << ops::name(mode));
        check_exact(c, reference(c)[0], "pad.rows");
      }
}

TEST_CASE("Padding whole rows fills the output of an empty input") {
  OperatorCase c(pad(PadMode::kConstant, {1, 2}, {1, 9}, 4));
  c.input(tensor({3, 0}, std::vector<float>{})).output(DataType::kF32, {5, 11});
  check_exact(c, reference(c)[0], "pad.rows");
}

TEST_CASE("Errors of Pad name the invalid attribute") {
  const auto of_three = [](PadMode mode, int64_t begin, int64_t end) {
    OperatorCase c(pad(mode, {begin}, {end}));
    c.input(tensor({3}, std::vector<float>(3)));
    return infer_error(c);
  };
  CHECK_THAT(of_three(PadMode::kReflect, 3, 0), Catch::Contains("begin 3"));
  CHECK_THAT(of_three(PadMode::kReflect, -1, 2), Catch::Contains("end 2"));
  CHECK_THAT(of_three(PadMode::kEdge, -3, 1), Catch::Contains("end 1"));
  CHECK_THAT(of_three(PadMode::kConstant, -2, -2), Catch::Contains("begin and end"));
  CHECK_THAT(of_three(PadMode::kConstant, std::numeric_limits<int64_t>::max(), 1), Catch::Contains("begin or end"));
  CHECK_THAT(of_three(PadMode::kConstant, int64_t{1} << 40, 1), Catch::Contains("2^40"));
  OperatorCase c(pad(PadMode::kConstant, {1, 1}, {1}));
  c.input(tensor({3}, std::vector<float>(3)));
  CHECK_THAT(infer_error(c), Catch::Contains("begin and end have 2 and 1"));
}

}  // namespace
}  // namespace nestrt::test
