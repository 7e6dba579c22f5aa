// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/memory/staging_memory.h"

#include <catch2/catch.hpp>

#include "drivers/evta/simulator/simulator_transport.h"

namespace nestrt::evta {
namespace {

TEST_CASE("Programs share staging memory, which grows to the size of the largest program") {
  const auto transport = make_simulator_transport();
  StagingMemory staging;
  const auto first = staging.get(*transport, 3 * kPageBytes);
  REQUIRE(first);
  CHECK((*first)->address() % kPageBytes == 0);
  CHECK(*staging.get(*transport, kPageBytes) == *first);
  const auto larger = staging.get(*transport, 4 * kPageBytes);
  REQUIRE(larger);
  // otherwise programs that grow in small steps would need quadratic memory
  CHECK((*larger)->bytes().size() >= 6 * kPageBytes);
  CHECK(*staging.get(*transport, 5 * kPageBytes) == *larger);
}

TEST_CASE("More staging memory than the accelerator has is rejected") {
  const auto transport = make_simulator_transport();
  StagingMemory staging;
  const auto too_much = staging.get(*transport, uint64_t{1} << 33);
  REQUIRE_FALSE(too_much);
  CHECK(too_much.error().code() == Code::kOutOfMemory);
}

}  // namespace
}  // namespace nestrt::evta
