// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/graph/output_list.h"

#include <catch2/catch.hpp>

namespace nestrt::compiler {
namespace {

TEST_CASE("An output list contains its values, including repeated ones") {
  OutputList outputs = {3, 5, 3};
  CHECK(outputs.contains(3));
  CHECK_FALSE(outputs.contains(4));
  outputs.set(0, 4);
  CHECK(outputs == std::vector<ValueId>{4, 5, 3});
  CHECK(outputs.contains(3));
  outputs.set(2, 5);
  CHECK_FALSE(outputs.contains(3));
  outputs.push_back(3);
  CHECK(outputs.contains(3));
}

TEST_CASE("Replacing an output replaces all its occurrences, and replacing other values changes nothing") {
  OutputList outputs = {1, 2, 1};
  outputs.replace(1, 7);
  CHECK(outputs == std::vector<ValueId>{7, 2, 7});
  CHECK_FALSE(outputs.contains(1));
  outputs.replace(9, 2);
  CHECK(outputs == std::vector<ValueId>{7, 2, 7});
}

}  // namespace
}  // namespace nestrt::compiler
