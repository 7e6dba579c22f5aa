// SPDX-License-Identifier: Apache-2.0
// Tests programs in host-visible memory with a non-coherent cache.
#include <catch2/catch.hpp>
#include <cstring>

#include "drivers/evta/driver/placed_program.h"
#include "drivers/evta/simulator/simulator_transport.h"
#include "nestrt/driver/plan_tables.h"
#include "test/drivers/conformance/prepared_copy.h"
#include "test/support/plan/copy_plan.h"

namespace nestrt::evta {
namespace {

// The line size is larger than a program's elements, so that a range may start and end inside a line.
constexpr uint64_t kLine = 256;

// A program for y = x, with both tensors in host-visible memory.
class HostVisibleCopy {
 public:
  // `y`: offset of y from the start of a cache line.
  explicit HostVisibleCopy(uint64_t y) {
    auto bound = read_program(*source_.plan, 0, *source_.program, kConfigurations[0]);
    REQUIRE(bound);
    auto placed = PlacedProgram::create({transport_.get(), &host_visible_, &constants_, &staging_}, std::move(*bound),
                                        source_.plan);
    REQUIRE(placed);
    program_.emplace(std::move(*placed));
    auto block = host_visible_.allocate_shared(*transport_, kPageBytes);
    REQUIRE(block);
    block_ = *block;
    const plan::Tables& tables = source_.plan->tables();
    buffers_.resize(tables.buffers.size());
    const uint32_t x_buffer = tables.tensors[tables.inputs[0].tensor].buffer;
    const uint32_t y_buffer = tables.tensors[tables.outputs[0]].buffer;
    x_ = block_->bytes().subspan(0, tables.buffers[x_buffer].size);
    y_ = block_->bytes().subspan(8 * kLine + y, tables.buffers[y_buffer].size);
    buffers_[x_buffer] = x_.data();
    buffers_[y_buffer] = y_.data();
    std::memset(x_.data(), 7, x_.size());
  }

  // Runs the program. `meanwhile`: what the host does while the accelerator works.
  template <typename Meanwhile>
  void run(const Meanwhile& meanwhile) {
    Submission submission;
    submission.bindings.buffers = buffers_;
    REQUIRE(program_->place(buffers_).ok());
    REQUIRE(program_->give_inputs(submission).ok());
    meanwhile();
    REQUIRE(transport_->start(program_->device_program()).ok());
    REQUIRE(transport_->wait(SteadyClock::now() + nestrt::test::kLongEnough).ok());
    REQUIRE(program_->take_results(submission).ok());
  }

  bool is_right() const { return std::ranges::equal(x_, y_); }
  std::span<std::byte> y() const { return y_; }
  uint64_t copied() const { return program_->traffic().copied_bytes; }

 private:
  const nestrt::test::ProgramInPlan source_{test::copy_plan(kConfigurations[0]).build(), "evta"};
  HostVisibleBlocks host_visible_;
  SharedConstants constants_;
  StagingMemory staging_;
  std::unique_ptr<Transport> transport_ =
      make_simulator_transport({.host_view = HostView::kCached, .cache_line_bytes = kLine});
  std::optional<PlacedProgram> program_;
  std::shared_ptr<HostVisibleMemory> block_;
  std::vector<std::byte*> buffers_;
  std::span<std::byte> x_, y_;
};

TEST_CASE("Old host data does not overwrite results") {
  HostVisibleCopy copy(0);
  std::memset(copy.y().data(), 85, copy.y().size());
  copy.run([] {});
  CHECK(copy.is_right());
  CHECK(copy.copied() == 0);
}

TEST_CASE("Results that share a cache line with the host's data are copied") {
  for (const uint64_t begin : {64, 192}) {
    HostVisibleCopy copy(begin);
    std::byte& before = *(copy.y().data() - 1);
    std::byte& after = *(copy.y().data() + copy.y().size());
    copy.run([&] { before = after = std::byte{3}; });
    CHECK(copy.is_right());
    CHECK(before == std::byte{3});
    CHECK(after == std::byte{3});
    CHECK(copy.copied() == copy.y().size());
  }
}

}  // namespace
}  // namespace nestrt::evta
