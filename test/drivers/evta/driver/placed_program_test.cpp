// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/placed_program.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "drivers/evta/simulator/simulator_transport.h"
#include "nestrt/driver/plan_tables.h"
#include "test/drivers/conformance/prepared_copy.h"
#include "test/support/plan/copy_plan.h"

namespace nestrt::evta {
namespace {

// A program for y = x on an accelerator with blocks of 32 channels; x has 16 channels in a block of 16.
class HalfBlockCopy {
 public:
  explicit HalfBlockCopy(const SimulatorOptions& simulator) : transport_(make_simulator_transport(simulator)) {
    auto bound = read_program(*source_.plan, 0, *source_.program, configuration_);
    REQUIRE(bound);
    pixels_ = static_cast<int64_t>(bound->ranges[2].size) / 32;
    bound->bindings[2].conversion = Reblocking{1, 1, pixels_, 32, 1};
    auto placed = PlacedProgram::create({transport_.get(), &host_visible_, &constants_, &staging_}, std::move(*bound),
                                        source_.plan);
    REQUIRE(placed);
    program_.emplace(std::move(*placed));
  }

  // Runs the program and returns 32 channels of each pixel.
  std::vector<int8_t> run() {
    std::vector<int8_t> x(static_cast<size_t>(16 * pixels_)), y(static_cast<size_t>(32 * pixels_));
    std::iota(x.begin(), x.end(), int8_t{1});
    const plan::Tables& tables = source_.plan->tables();
    std::vector<std::byte*> buffers(tables.buffers.size());
    buffers[tables.tensors[tables.inputs[0].tensor].buffer] = reinterpret_cast<std::byte*>(x.data());
    buffers[tables.tensors[tables.outputs[0]].buffer] = reinterpret_cast<std::byte*>(y.data());
    Submission submission;
    submission.bindings.buffers = buffers;
    REQUIRE(program_->place(buffers).ok());
    REQUIRE(program_->give_inputs(submission).ok());
    REQUIRE(transport_->start(program_->device_program()).ok());
    REQUIRE(transport_->wait(SteadyClock::now() + nestrt::test::kLongEnough).ok());
    REQUIRE(program_->take_results(submission).ok());
    return y;
  }

 private:
  const Configuration& configuration_ = *find_configuration("1x32_15_15_18_17");
  const nestrt::test::ProgramInPlan source_{test::copy_plan(configuration_).build(), "evta"};
  HostVisibleBlocks host_visible_;
  SharedConstants constants_;
  StagingMemory staging_;
  std::unique_ptr<Transport> transport_;
  int64_t pixels_ = 0;
  std::optional<PlacedProgram> program_;
};

TEST_CASE("Padding after a conversion does not contain old contents of the accelerator's memory") {
  for (const HostView view : {HostView::kShared, HostView::kSeparate, HostView::kCached}) {
    std::vector<std::vector<int8_t>> results;
    for (const uint8_t stale : {0x00, 0x37, 0xd1})
      results.push_back(HalfBlockCopy({.host_view = view, .stale = std::byte{stale}}).run());
    CHECK(results[0][0] == 1);
    CHECK(results[0][16] == 0);
    CHECK(results[1] == results[0]);
    CHECK(results[2] == results[0]);
  }
}

TEST_CASE("Programs of one plan share constants, and programs of different plans do not") {
  auto transport = make_simulator_transport();
  const nestrt::test::ProgramInPlan first(test::copy_plan(kConfigurations[0]).build(), "evta");
  const nestrt::test::ProgramInPlan second(test::copy_plan(kConfigurations[0]).build(), "evta");
  const std::vector<std::byte> bytes(256, std::byte{3});
  SharedConstants constants;
  const auto one = constants.get(*transport, first.plan, bytes, 0);
  REQUIRE(one);
  CHECK((*one)->bytes()[255] == std::byte{3});
  CHECK(*constants.get(*transport, first.plan, bytes, 0) == *one);
  CHECK(*constants.get(*transport, first.plan, bytes, 64) != *one);
  CHECK(*constants.get(*transport, first.plan, std::span(bytes).first(128), 0) != *one);
  CHECK(*constants.get(*transport, second.plan, bytes, 0) != *one);
}

}  // namespace
}  // namespace nestrt::evta
