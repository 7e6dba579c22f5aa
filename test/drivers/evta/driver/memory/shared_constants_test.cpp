// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/memory/shared_constants.h"

#include <catch2/catch.hpp>
#include <vector>

#include "drivers/evta/simulator/simulator_transport.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::evta {
namespace {

struct Constants {
  nestrt::test::PlanFile file = nestrt::test::relu_plan().build();
  std::shared_ptr<const Plan> plan = *Plan::from_memory(file.bytes());
  std::unique_ptr<Transport> transport = make_simulator_transport({});
  SharedConstants shared;

  std::shared_ptr<DeviceBuffer> get(std::span<const std::byte> bytes) {
    return *shared.get(*transport, plan, bytes, 0);
  }
};

TEST_CASE("A constant is stored once while in use, regardless of other constants") {
  Constants constants;
  const std::vector<std::byte> bytes(1000, std::byte{7});
  const std::shared_ptr<DeviceBuffer> kept = constants.get(bytes);
  for (size_t size = 1; size < bytes.size(); ++size) {
    const std::weak_ptr<DeviceBuffer> gone = constants.get(std::span(bytes).first(size));
    CHECK(gone.expired());
  }
  CHECK(constants.get(bytes) == kept);
}

TEST_CASE("Placing a constant does not scan all other constants") {
  constexpr size_t kCount = 100'000;  // quadratic time would take 5 billion steps
  Constants constants;
  const std::vector<std::byte> bytes(kCount);
  std::vector<std::shared_ptr<DeviceBuffer>> buffers;
  for (size_t i = 0; i < kCount; ++i) buffers.push_back(constants.get(std::span(bytes).subspan(i, 1)));
  bool once = true;
  for (size_t i = 0; i < kCount; ++i) once &= constants.get(std::span(bytes).subspan(i, 1)) == buffers[i];
  CHECK(once);
}

}  // namespace
}  // namespace nestrt::evta
