// Several inferences in flight, on the CPU and simulated EVTA.
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "nestrt/pipeline.h"
#include "test/runtime/session/random_network.h"

namespace nestrt::test {
namespace {

std::unique_ptr<Pipeline> open(const Network& network, const UnitList& units, PipelineOptions options = {}) {
  options.session.measure = false;
  options.session.schedule.method = ScheduleMethod::kFileOrder;
  auto pipeline = Pipeline::create(network.plan, units, options);
  if (!pipeline) FAIL(pipeline.error().to_string());
  return std::move(*pipeline);
}

TEST_CASE("A pipeline returns the results of all that it is given, in order") {
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

TEST_CASE("An inference that fails is an error at its place, and the others are right") {
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

TEST_CASE("A pipeline goes although nobody asks for what it was given") {
  const Board board;
  Network network(13);
  const auto pipeline = open(network, board.units, {.in_flight = 2, .waiting = 4});
  const ConstTensorView input = network.input();
  const TensorView output = network.output();
  pipeline->submit({&input, 1}, {&output, 1});
}

TEST_CASE("Pipelines of too many inferences are refused") {
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
