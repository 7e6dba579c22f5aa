// SPDX-License-Identifier: Apache-2.0
#include "drivers/c_api/shared_units.h"

#include <catch2/catch.hpp>

#include "test/drivers/vendor/isolation/crashing_plugin.h"
#include "test/support/example_files.h"

namespace nestrt::c_api {
namespace {

TEST_CASE("Requests for the same units share them while they are in use") {
  auto first = shared_units("cpu", {.num_threads = 2});
  REQUIRE(first);
  auto second = shared_units("cpu", {.num_threads = 2});
  REQUIRE(second);
  CHECK(*first == *second);
  CHECK((*first)->at(0)->info().num_threads == 2);

  const std::weak_ptr<const UnitList> seen = *first;
  *first = nullptr;
  CHECK_FALSE(seen.expired());
  *second = nullptr;
  CHECK(seen.expired());
  CHECK(shared_units("cpu", {.num_threads = 2}));
}

TEST_CASE("Units with different numbers of threads are not shared") {
  const auto two = shared_units("cpu", {.num_threads = 2}), three = shared_units("cpu", {.num_threads = 3});
  REQUIRE(two);
  REQUIRE(three);
  CHECK(*two != *three);
  CHECK((*three)->at(0)->info().num_threads == 3);
}

TEST_CASE("A plug-in's units are not shared between isolated and in-process use") {
  if (!vendor::test::needs_isolation()) return;
  UnitOptions options;
  options.plugin = nestrt::test::kSkeletonPlugin;
  const auto plain = shared_units("skeleton", options), again = shared_units("skeleton", options);
  options.isolate = true;
  const auto isolated = shared_units("skeleton", options);
  REQUIRE(plain);
  REQUIRE(again);
  REQUIRE(isolated);
  CHECK(*plain == *again);
  CHECK(*plain != *isolated);
}

TEST_CASE("Units that cannot be opened are rejected each time") {
  for (int i = 0; i < 2; ++i) CHECK(shared_units("tpu", {.num_threads = 1}).error().code() == Code::kInvalidArgument);
}

}  // namespace
}  // namespace nestrt::c_api
