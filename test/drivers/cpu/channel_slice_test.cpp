#include <catch2/catch.hpp>
#include <random>

#include "nestrt/unit.h"
#include "runtime/plan/channels.h"
#include "runtime/plan/tables.h"
#include "test/support/sample_plans.h"

namespace nestrt::test {
namespace {

// The convolution of divisible_plan on the CPU, with memory of its own.
class DividedConv {
 public:
  explicit DividedConv(int64_t channels) : file_(divisible_plan(channels).build()) {
    auto plan = Plan::from_memory(file_.bytes());
    auto units = open_units("cpu", {.num_threads = 2});
    if (!plan) FAIL(plan.error().to_string());
    REQUIRE(units);
    plan_ = *plan;
    unit_ = (*units)[0];
    std::mt19937 random(1);
    for (const plan::Buffer* buffer : items(plan_->tables().buffers())) {
      auto& bytes = memory_.emplace_back(buffer->size() + 64);
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
      addresses_.push_back(bytes.data());
    }
    for (uint32_t i = 0; i < addresses_.size(); ++i)
      if (items(plan_->tables().buffers())[i]->kind() == plan::BufferKind::constant)
        addresses_[i] = const_cast<std::byte*>(plan_->constant(i).data());
  }

  Result<std::unique_ptr<Executable>> prepare(uint32_t branch, ChannelRange channels) {
    const plan::Program* const program = items(items(plan_->tables().branches())[branch]->programs())[0];
    return unit_->prepare({plan_, branch, program, channels});
  }

  void run(ChannelRange channels) {
    auto executable = prepare(1, channels);
    if (!executable) FAIL(executable.error().to_string());
    std::vector<std::byte> scratch((*executable)->scratch_bytes() + 64);
    Event completion;
    Submission submission;
    const auto address = reinterpret_cast<uintptr_t>(scratch.data());
    submission.bindings = {addresses_, scratch.data() + (64 - address % 64) % 64};
    submission.completion = &completion;
    submission.generation = completion.arm();
    (*executable)->submit(submission);
    REQUIRE(completion.wait().ok());
  }

  // The blocked output, past its last channel cleared.
  std::vector<std::byte> output() {
    const plan::Operator& conv = *items(plan_->tables().operators())[4];
    const plan::Tensor& y = *items(plan_->tables().tensors())[static_cast<uint32_t>(items(conv.outputs())[0])];
    const auto channels = static_cast<size_t>(items(y.shape())[1]), pixels = size_t{30};
    std::vector<std::byte>& bytes = memory_[y.buffer()];
    for (size_t i = 0; i < (channels + 15) / 16 * 16 * pixels; ++i)
      if (i / (16 * pixels) * 16 + i % 16 >= channels) bytes[i] = std::byte{0};
    return bytes;
  }
  void spoil() {
    const plan::Operator& conv = *items(plan_->tables().operators())[4];
    const plan::Tensor& y = *items(plan_->tables().tensors())[static_cast<uint32_t>(items(conv.outputs())[0])];
    for (std::byte& byte : memory_[y.buffer()]) byte ^= std::byte{0x5A};
    for (size_t i = 0; i < 64; ++i) memory_[y.buffer()].rbegin()[static_cast<ptrdiff_t>(i)] = std::byte{7};
  }

  const plan::Plan& tables() const { return plan_->tables(); }

 private:
  PlanBytes file_;
  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<Unit> unit_;
  std::vector<std::vector<std::byte>> memory_;
  std::vector<std::byte*> addresses_;
};

TEST_CASE("The CPU computes the channels of a convolution in parts as it does at once") {
  for (const uint32_t channels : {40u, 64u, 100u}) {
    CAPTURE(channels);
    DividedConv conv(channels);
    CHECK(divisible_channels(conv.tables(), 4) == channels);
    conv.spoil();
    conv.run({});
    const std::vector<std::byte> whole = conv.output();
    for (uint32_t at = 16; at < channels; at += 16) {
      CAPTURE(at);
      conv.spoil();
      REQUIRE(conv.output() != whole);
      conv.run({0, at});
      conv.run({at, channels});
      CHECK(conv.output() == whole);
    }
    conv.spoil();
    for (uint32_t at = 0; at < channels; at += 16) conv.run({at, std::min(at + 16, channels)});
    CHECK(conv.output() == whole);
  }
}

TEST_CASE("Channels that are no blocks, or of an operator that cannot be divided, are refused") {
  DividedConv conv(40);
  CHECK(divisible_channels(conv.tables(), 0) == 0);
  CHECK(divisible_channels(DividedConv(16).tables(), 4) == 0);
  for (const ChannelRange range : {ChannelRange{8, 40}, {0, 24}, {16, 41}, {32, 16}, {16, 16}}) {
    const auto refused = conv.prepare(1, range);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == Code::kInvalidArgument);
  }
  CHECK(conv.prepare(1, {32, 40}));
  CHECK(conv.prepare(0, {0, 16}).error().message().find("cannot be divided") != std::string_view::npos);
}

}  // namespace
}  // namespace nestrt::test
