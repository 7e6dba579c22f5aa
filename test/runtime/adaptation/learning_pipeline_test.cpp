// SPDX-License-Identifier: Apache-2.0
// Tests that a pipeline without known costs starts immediately and that all of its inferences use the costs that the
// first one learns.
#include <catch2/catch.hpp>
#include <thread>

#include "nestrt/driver/schedule.h"
#include "nestrt/pipeline.h"
#include "test/runtime/adaptation/cache_folder.h"
#include "test/runtime/support/random_network.h"
#include "test/runtime/support/virtual_board.h"

namespace nestrt::test {
namespace {

constexpr int kBranches = 3;
constexpr int64_t kHostUs = 10, kNpuUs = 1000;

class VirtualPipeline {
 public:
  explicit VirtualPipeline(int in_flight, SessionOptions options = {})
      : file_(chain_for_npu(kBranches)), plan_(*Plan::from_memory(file_.bytes())) {
    host->microseconds = kHostUs;
    npu->microseconds = kNpuUs;
    options.clock = clock_;
    const UnitList units = {std::make_shared<VirtualUnit>(UnitInfo{"cpu", "cpu", "", 1, true}, clock_, host),
                            std::make_shared<VirtualUnit>(UnitInfo{"npu", "npu0", "", 1, false}, clock_, npu)};
    auto created = Pipeline::create(plan_, units, {.in_flight = in_flight, .session = options});
    if (!created) FAIL(created.error().to_string());
    pipeline = std::move(*created);
  }

  void run() {
    const ConstTensorView in[] = {tensor_view(std::span<const float>(x_), {1, 4})};
    const TensorView out[] = {tensor_view(std::span<float>(y_), {1, 4})};
    pipeline->submit(in, out);
    REQUIRE(pipeline->next().ok());
  }

  bool uses_npu() const {
    const Schedule schedule = pipeline->schedule();
    return std::ranges::any_of(schedule.steps, [&](const Step& step) { return schedule.lanes[step.lane].unit == 1; });
  }

  // Returns whether this many consecutive inferences do not use the slow unit because the schedule omits it. The thread
  // that computes schedules may lag behind.
  bool leaves_npu(int inferences) {
    int in_a_row = 0;
    for (int i = 0; i < 100'000 && in_a_row < inferences; ++i) {
      const int before = npu->computed;
      run();
      in_a_row = npu->computed == before && !uses_npu() ? in_a_row + 1 : 0;
      std::this_thread::sleep_for(std::chrono::microseconds(10));
    }
    return in_a_row == inferences;
  }

  const std::shared_ptr<VirtualSpeed> host = std::make_shared<VirtualSpeed>(), npu = std::make_shared<VirtualSpeed>();
  std::unique_ptr<Pipeline> pipeline;

 private:
  const std::shared_ptr<VirtualClock> clock_ = std::make_shared<VirtualClock>();
  PlanFile file_;
  std::shared_ptr<const Plan> plan_;
  std::vector<float> x_ = std::vector<float>(4), y_ = std::vector<float>(4);
};

TEST_CASE("Creating a pipeline runs nothing") {
  const VirtualPipeline board(4);
  CHECK(board.host->computed == 0);
  CHECK(board.npu->computed == 0);
}

TEST_CASE("A pipeline measures costs before its first inference on request") {
  const TemporaryFolder folder;
  const Board board;
  const Network network(15);
  PipelineOptions options{.in_flight = 2};
  options.session.costs.file = folder.path() + "/costs";
  options.session.costs.measure = Measuring::kBefore;
  REQUIRE(Pipeline::create(network.plan, board.units, options));
  CHECK(read_costs(options.session.costs.file));
}

TEST_CASE("All inferences of a pipeline stop using a slow unit, and the next pipeline starts without it") {
  const CacheFolder cache;
  for (const int in_flight : {1, 3}) {
    VirtualPipeline board(in_flight);
    REQUIRE(board.uses_npu());
    REQUIRE(board.leaves_npu(10));
    board.pipeline.reset();
    REQUIRE(cache.files().size() == 1);
    VirtualPipeline next(in_flight);
    CHECK_FALSE(next.uses_npu());
    for (int i = 0; i < 5; ++i) next.run();
    CHECK(next.npu->computed == 0);
    std::filesystem::remove(cache.files()[0]);
  }
}

TEST_CASE("A pipeline without adaptation keeps its first schedule") {
  SessionOptions options;
  options.adaptation.drift = 0;
  VirtualPipeline board(2, options);
  const bool begins_with_npu = board.uses_npu();
  for (int i = 0; i < 100; ++i) board.run();
  CHECK(board.uses_npu() == begins_with_npu);
}

}  // namespace
}  // namespace nestrt::test
