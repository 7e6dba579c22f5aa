// SPDX-License-Identifier: Apache-2.0
// Tests several inferences in flight, on the CPU and simulated EVTA.
#include <atomic>
#include <catch2/catch.hpp>
#include <latch>
#include <thread>

#include "nestrt/pipeline.h"
#include "test/runtime/support/random_network.h"
#include "test/support/process/thread_states.h"

namespace nestrt::test {
namespace {

std::unique_ptr<Pipeline> open(const Network& network, const UnitList& units, PipelineOptions options = {}) {
  options.session.costs.measure = Measuring::kNever;
  options.session.schedule.method = ScheduleMethod::kFileOrder;
  auto pipeline = Pipeline::create(network.plan, units, options);
  if (!pipeline) FAIL(pipeline.error().to_string());
  return std::move(*pipeline);
}

// Blocks programs until it is opened.
struct Gate {
  std::latch has_begun{1}, opens{1};
};

// A CPU whose programs wait at a gate before they run.
class GatedHost final : public Unit {
 public:
  explicit GatedHost(Gate& gate) : gate_(gate) {}
  const UnitInfo& info() const override { return cpu_->info(); }
  Host* host() override { return cpu_->host(); }
  Result<std::unique_ptr<Executable>> prepare(const BranchSpec& branch) override {
    NESTRT_ASSIGN_OR_RETURN(auto program, cpu_->prepare(branch));
    return std::unique_ptr<Executable>(std::make_unique<Program>(gate_, std::move(program)));
  }

 private:
  class Program final : public Executable {
   public:
    Program(Gate& gate, std::unique_ptr<Executable> program) : gate_(gate), program_(std::move(program)) {}
    size_t scratch_bytes() const override { return program_->scratch_bytes(); }
    void submit(const Submission& submission) override {
      if (!gate_.has_begun.try_wait()) gate_.has_begun.count_down();
      gate_.opens.wait();
      program_->submit(submission);
    }

   private:
    Gate& gate_;
    const std::unique_ptr<Executable> program_;
  };

  Gate& gate_;
  const std::shared_ptr<Unit> cpu_ = open_units("cpu", {.num_threads = 1})->front();
};

TEST_CASE("A pipeline returns all results in order") {
  const Board board;
  const auto network = std::make_unique<Network>(11);
  for (int in_flight : {0, 1, 4}) {
    const auto pipeline = open(*network, board.units, {.in_flight = in_flight, .waiting = 2});
    std::vector<std::vector<int32_t>> results(20, std::vector<int32_t>(16, 99));
    const ConstTensorView input = network->input();
    const Shape shape = network->plan->outputs()[0].shape;
    std::atomic<size_t> submitted{0};
    std::thread producer([&] {
      for (auto& result : results) {
        const TensorView output{DataType::kS32, shape, result.data()};
        pipeline->submit({&input, 1}, {&output, 1});
        ++submitted;
        submitted.notify_one();
      }
    });
    for (size_t i = 0; i < results.size(); ++i) {
      const auto& result = results[i];
      submitted.wait(i);
      CHECK(pipeline->next().ok());
      CHECK(network->is_expected(result));
    }
    producer.join();
    CHECK(pipeline->next().code() == Code::kInvalidArgument);
  }
}

TEST_CASE("A failed inference returns its error, and the others succeed") {
  const Quiet quiet;
  const Board board;
  Network network(12);
  const auto pipeline = open(network, board.units);
  std::vector<int32_t> result(16);
  const ConstTensorView input = network.input();
  const TensorView good{DataType::kS32, network.plan->outputs()[0].shape, result.data()};
  const TensorView bad{DataType::kS32, Shape{1}, result.data()};
  for (const TensorView& output : {good, bad, good}) pipeline->submit({&input, 1}, {&output, 1});
  CHECK(pipeline->next().ok());
  CHECK(pipeline->next().code() == Code::kInvalidArgument);
  CHECK(pipeline->next().ok());
}

TEST_CASE("Destroying a pipeline completes running inferences and drops waiting ones") {
  Network network(13);
  Gate gate;
  auto pipeline = open(network, {std::make_shared<GatedHost>(gate)}, {.in_flight = 1, .waiting = 3});
  const ConstTensorView input = network.input();
  const std::vector<int32_t> untouched(16, 99);
  std::vector<std::vector<int32_t>> results(4, untouched);
  for (auto& result : results) {
    const TensorView output{DataType::kS32, network.plan->outputs()[0].shape, result.data()};
    pipeline->submit({&input, 1}, {&output, 1});
  }
  gate.has_begun.wait();
  bool waits = false;
  std::thread opener([&] {
    waits = others_fall_asleep();  // the pipeline's destructor waits for the inference behind the gate
    gate.opens.count_down();
  });
  pipeline.reset();
  opener.join();
  CHECK(waits);
  CHECK(network.is_expected(results[0]));
  for (size_t i = 1; i < results.size(); ++i) CHECK(results[i] == untouched);
}

TEST_CASE("Waiting for the next result can be limited in time") {
  Gate gate;
  const auto network = std::make_unique<Network>(3);
  const auto pipeline = open(*network, {std::make_shared<GatedHost>(gate)}, {.in_flight = 1, .waiting = 1});
  CHECK(pipeline->wait_for_next(std::chrono::hours(1)));  // next() returns an error immediately
  CHECK(pipeline->next().code() == Code::kInvalidArgument);
  std::vector<int32_t> result(16);
  const ConstTensorView input = network->input();
  const TensorView output{DataType::kS32, network->plan->outputs()[0].shape, result.data()};
  pipeline->submit({&input, 1}, {&output, 1});
  gate.has_begun.wait();
  CHECK_FALSE(pipeline->wait_for_next(std::chrono::milliseconds(1)));
  gate.opens.count_down();
  CHECK(pipeline->wait_for_next(std::chrono::hours(1)));
  CHECK(pipeline->next().ok());
}

TEST_CASE("Invalid numbers of inferences are rejected") {
  const Board board;
  const Network network(14);
  const PipelineOptions wrong[] = {{.in_flight = -1}, {.in_flight = 1, .waiting = -1}, {.in_flight = 100'000}};
  for (const PipelineOptions& options : wrong) {
    const auto pipeline = Pipeline::create(network.plan, board.units, options);
    REQUIRE_FALSE(pipeline);
    CHECK(pipeline.error().code() == Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace nestrt::test
