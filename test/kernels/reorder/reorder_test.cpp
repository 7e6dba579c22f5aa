// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/support/kernel/exact.h"

namespace nestrt::test {
namespace {

constexpr Layout kLayouts[] = {Layout::kPlain, Layout::kBlocked16, Layout::kBlocked32};

TEST_CASE("Reorder changes only the layout") {
  std::mt19937 generator(1);
  for (DataType type : {DataType::kF32, DataType::kS8, DataType::kU8, DataType::kS64})
    for (const Shape& shape :
         {Shape{1, 3, 5, 7}, Shape{2, 16, 4, 4}, Shape{2, 37, 3, 3}, Shape{3, 33}, Shape{1, 64, 17}})
      for (Layout from : kLayouts)
        for (Layout to : kLayouts) {
          const TestTensor input = random_bytes(generator, type, shape);
          OperatorCase c{ops::Reorder()};
          c.input(with_layout(input, from)).output(type, shape, to);
          const std::string what = shape.to_string() + " " + std::string(name(from)) + " to " + std::string(name(to));
          INFO(what);
          CHECK(reference(c)[0].bytes == input.bytes);
          for_each_fast_kernel(c, [&](const std::string& kernel, const std::vector<TestTensor>& outputs) {
            INFO(kernel);
            CHECK(outputs[0].bytes == input.bytes);
          });
        }
}

TEST_CASE("Reorder folds images and unfolds them") {
  constexpr Layout kImages[] = {Layout::kPlain,   Layout::kBlocked16, Layout::kBlocked32,
                                Layout::kFolded2, Layout::kFolded4,   Layout::kFolded8};
  std::mt19937 generator(1);
  for (const Shape& shape : {Shape{1, 3, 5, 7}, Shape{2, 4, 8, 16}, Shape{1, 1, 33, 17}, Shape{2, 20, 3, 3}})
    for (const Layout from : kImages)
      for (const Layout to : kImages) {
        const TestTensor input = random_s8(generator, shape);
        OperatorCase c{ops::Reorder()};
        c.input(with_layout(input, from)).output(DataType::kS8, shape, to);
        INFO(shape.to_string() << " " << name(from) << " to " << name(to));
        CHECK(reference(c)[0].bytes == input.bytes);
        if (from == Layout::kPlain && is_folded(to) && shape[1] <= 8) check_exact(c, input, "reorder.to_folded");
      }
}

TEST_CASE("Reorder rejects a tensor without channels") {
  OperatorCase c{ops::Reorder()};
  c.input(tensor({4}, std::vector<float>(4)));
  CHECK_THAT(std::string(c.infer().error().message()), Catch::Contains("shape 4"));
}

}  // namespace
}  // namespace nestrt::test
