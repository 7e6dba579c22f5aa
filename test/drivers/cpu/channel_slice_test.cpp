// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/driver/unit.h"
#include "nestrt/open_units.h"
#include "runtime/plan/queries/channels.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

// The only operator of a branch on the CPU, with its own memory.
class DividedOperator {
 public:
  DividedOperator(PlanBuilder plan, uint32_t branch) : file_(plan.build()), branch_(branch) {
    auto loaded = Plan::from_memory(file_.bytes());
    auto units = open_units("cpu", {.num_threads = 2});
    if (!loaded) FAIL(loaded.error().to_string());
    REQUIRE(units);
    plan_ = *loaded;
    unit_ = (*units)[0];
    std::mt19937 random(1);
    for (const plan::Buffer& buffer : plan_->tables().buffers) {
      auto& bytes = memory_.emplace_back(buffer.size + 64);
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
      addresses_.push_back(bytes.data());
    }
    for (uint32_t i = 0; i < addresses_.size(); ++i)
      if (plan_->tables().buffers[i].kind == plan::BufferKind::kConstant)
        addresses_[i] = const_cast<std::byte*>(plan_->constant(i).data());
  }

  Result<std::unique_ptr<Executable>> prepare(uint32_t branch, ChannelRange channels) {
    return unit_->prepare({plan_, branch, &plan_->tables().branches[branch].programs[0], channels});
  }

  void run(ChannelRange channels) {
    auto executable = prepare(branch_, channels);
    if (!executable) FAIL(executable.error().to_string());
    std::vector<std::byte> scratch((*executable)->scratch_bytes() + 64);
    Submission submission;
    const auto address = reinterpret_cast<uintptr_t>(scratch.data());
    submission.bindings = {addresses_, scratch.data() + (64 - address % 64) % 64};
    submission.observer = &observer;
    REQUIRE(nestrt::run(**executable, submission).ok());
  }

  // Returns the blocked output, with the lanes beyond the last channel cleared.
  std::vector<std::byte> output() {
    const Shape& shape = output_tensor().shape;
    const auto channels = static_cast<size_t>(shape[1]), pixels = static_cast<size_t>(shape.product(2, 4));
    const size_t size = size_bytes(output_tensor().type);
    std::vector<std::byte>& bytes = memory_[output_tensor().buffer];
    for (size_t i = 0; i < (channels + 15) / 16 * 16 * pixels; ++i)
      if (i / (16 * pixels) * 16 + i % 16 >= channels)
        std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(i * size), size, std::byte{0});
    return bytes;
  }
  void spoil() {
    std::vector<std::byte>& bytes = memory_[output_tensor().buffer];
    for (std::byte& byte : bytes) byte ^= std::byte{0x5A};
    for (size_t i = 0; i < 64; ++i) bytes.rbegin()[static_cast<ptrdiff_t>(i)] = std::byte{7};
  }

  uint32_t rows() const { return divisible_rows(plan_->tables(), plan_->tables().branches[branch_]); }
  uint32_t channels() const { return divisible_channels(plan_->tables(), plan_->tables().branches[branch_]); }
  const std::string& name() const { return op().name; }

  struct Observer final : RunObserver {
    void operator_done(uint32_t, Time, Time) override { ++done; }
    int done = 0;
  } observer;

 private:
  const plan::Operator& op() const {
    const plan::Tables& tables = plan_->tables();
    return tables.operators[tables.branches[branch_].operators[0]];
  }
  const plan::Tensor& output_tensor() const { return plan_->tables().tensors[static_cast<uint32_t>(op().outputs[0])]; }

  PlanFile file_;
  const uint32_t branch_;
  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<Unit> unit_;
  std::vector<std::vector<std::byte>> memory_;
  std::vector<std::byte*> addresses_;
};

void check_parts(DividedOperator& op) {
  const uint32_t channels = op.channels();
  CAPTURE(op.name(), channels);
  op.spoil();
  op.run({});
  const std::vector<std::byte> whole = op.output();
  for (uint32_t at = 16; at < channels; at += 16) {
    CAPTURE(at);
    op.spoil();
    REQUIRE(op.output() != whole);
    op.run({0, at});
    op.run({at, channels});
    CHECK(op.output() == whole);
  }
  op.spoil();
  for (uint32_t at = 0; at < channels; at += 16) op.run({at, std::min(at + 16, channels)});
  CHECK(op.output() == whole);
}

TEST_CASE("A convolution computed in channel slices on the CPU has the same results") {
  const auto make = GENERATE(divisible_plan, wide_plan);
  for (const uint32_t channels : {40u, 64u, 100u}) {
    DividedOperator conv(make(channels), 1);
    CHECK(conv.channels() == channels);
    check_parts(conv);
  }
}

TEST_CASE("A convolution computed in row slices on the CPU has the same results") {
  const auto make = GENERATE(divisible_plan, wide_plan);
  for (const uint32_t channels : {40u, 64u}) {
    DividedOperator conv(make(channels), 1);
    const uint32_t rows = conv.rows(), lines = (channels + 15) / 16 * rows;
    REQUIRE(rows == 5);
    conv.spoil();
    conv.run({});
    const std::vector<std::byte> whole = conv.output();
    const auto range = [&](uint32_t begin, uint32_t end) {
      const auto channel = [&](uint32_t line) { return std::min(line / rows * 16, channels); };
      return ChannelRange{channel(begin), channel(end), begin % rows, end % rows};
    };
    for (uint32_t first = 0; first < lines; first += 3) {
      const uint32_t second = first + 1 + (first * 7) % (lines - first);
      CAPTURE(channels, first, second);
      conv.spoil();
      if (first > 0) conv.run(range(0, first));
      if (second < lines) conv.run(range(second, lines));
      REQUIRE(conv.output() != whole);
      conv.run(range(first, second));
      CHECK(conv.output() == whole);
    }
  }
}

TEST_CASE("A channel range that is computed in several rectangles is reported once") {
  DividedOperator conv(divisible_plan(64), 1);
  int parts = 0;
  for (const ChannelRange& part : {ChannelRange{}, ChannelRange{16, 48}, ChannelRange{0, 16, 0, 2},
                                   ChannelRange{16, 64, 2, 0}, ChannelRange{0, 48, 1, 3}}) {
    CAPTURE(part.begin, part.end, part.begin_row, part.end_row);
    conv.run(part);
    CHECK(conv.observer.done == ++parts);
  }
}

TEST_CASE("Channelwise operators computed in slices on the CPU have the same results") {
  for (const uint32_t channels : {40u, 64u, 100u}) {
    for (uint32_t branch = 1; branch <= 6; ++branch) {
      DividedOperator op(channelwise_plan(channels), branch);
      CHECK(op.channels() == channels);
      check_parts(op);
    }
  }
}

TEST_CASE("Channels that are not whole blocks or belong to an indivisible operator are rejected") {
  DividedOperator conv(divisible_plan(40), 1);
  CHECK(DividedOperator(divisible_plan(40), 0).channels() == 0);
  CHECK(DividedOperator(divisible_plan(16), 1).channels() == 0);
  for (uint32_t branch = 1; branch <= 6; ++branch) CHECK(DividedOperator(channelwise_plan(16), branch).channels() == 0);
  for (const ChannelRange range :
       {ChannelRange{8, 40}, {0, 24}, {16, 41}, {32, 16}, {16, 16}, {0, 16, 5, 0}, {0, 40, 0, 1}}) {
    const auto refused = conv.prepare(1, range);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == Code::kInvalidArgument);
  }
  CHECK(conv.prepare(1, {32, 40}));
  for (uint32_t branch = 1; branch <= 6; ++branch)
    CHECK_FALSE(DividedOperator(channelwise_plan(40), branch).prepare(branch, {0, 16, 0, 1}));
  CHECK(conv.prepare(0, {0, 16}).error().message().find("cannot be divided") != std::string_view::npos);
}

}  // namespace
}  // namespace nestrt::test
