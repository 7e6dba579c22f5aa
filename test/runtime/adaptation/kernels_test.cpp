// SPDX-License-Identifier: Apache-2.0
// Tests that a session chooses among the plan's kernels, on a host with artificial run times.
#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "runtime/kernel/parallel.h"
#include "test/runtime/adaptation/cache_folder.h"
#include "test/runtime/support/virtual_board.h"
#include "test/support/process/quiet.h"

namespace nestrt::test {
namespace {

namespace fs = std::filesystem;

constexpr int kBranches = 4;

// Time of a branch by kernel number.
struct KernelTimes {
  std::atomic<int64_t> microseconds[3] = {100, 50, 400};
  std::atomic<int> computed[3] = {0, 0, 0};
  std::atomic<bool> cannot_prepare{false};  // affects kernels other than the compiler's choice
  bool same_bits = true;
};

class KernelHost final : public Unit, public Host {
 public:
  KernelHost(std::shared_ptr<VirtualClock> clock, std::shared_ptr<KernelTimes> times)
      : clock_(std::move(clock)), times_(std::move(times)) {}

  const UnitInfo& info() const override { return info_; }
  std::vector<KernelOption> kernel_options(const BranchSpec&) override {
    return {{0, 0, "first", true}, {0, 1, "second", times_->same_bits}, {0, 2, "third", times_->same_bits}};
  }
  Result<std::unique_ptr<Executable>> prepare(const BranchSpec& spec) override {
    const uint32_t kernel = spec.kernels.empty() ? 0 : spec.kernels[0];
    if (kernel != 0 && times_->cannot_prepare) return Status(Code::kOutOfMemory, "no memory for packed weights");
    return std::unique_ptr<Executable>(std::make_unique<Program>(clock_, times_, kernel));
  }
  Host* host() override { return this; }
  bool run_lanes(int, FunctionRef<void(int)>) override { return false; }
  ParallelRunner& threads() override { return runner_; }

 private:
  class Program final : public Executable {
   public:
    Program(std::shared_ptr<VirtualClock> clock, std::shared_ptr<KernelTimes> times, uint32_t kernel)
        : clock_(std::move(clock)), times_(std::move(times)), kernel_(kernel) {}
    size_t scratch_bytes() const override { return 0; }
    void submit(const Submission& submission) override {
      clock_->advance(std::chrono::microseconds(times_->microseconds[kernel_]));
      ++times_->computed[kernel_];
      submission.completion->signal(submission.generation, Status());
    }

   private:
    const std::shared_ptr<VirtualClock> clock_;
    const std::shared_ptr<KernelTimes> times_;
    const uint32_t kernel_;
  };

  const UnitInfo info_{"cpu", "cpu", "virtual", 1, true};
  const std::shared_ptr<VirtualClock> clock_;
  const std::shared_ptr<KernelTimes> times_;
  InlineRunner runner_;
};

PlanFile chain_with_alternatives() {
  const Shape shape{1, 4};
  PlanBuilder builder;
  int before = builder.input("x", shape);
  for (int branch = 0; branch < kBranches; ++branch) {
    const int y = branch == kBranches - 1 ? builder.output("y", shape) : builder.arena("between", shape);
    builder.op("relu", unary(ops::UnaryKind::kRelu), {std::exchange(before, y)}, {y});
    builder.branch();
  }
  plan::Tables& tables = builder.tables();
  tables.kernel_names = {"first", "second", "third"};
  for (plan::Branch& branch : tables.branches)
    branch.programs[0].selections.push_back({"virtual", {0}, {}, {{0, 1, -1}, {0, 2, -1}}});
  return builder.build();
}

class KernelSession {
 public:
  explicit KernelSession(SessionOptions options = {}, bool same_bits = true)
      : file_(chain_with_alternatives()), plan_(*Plan::from_memory(file_.bytes())) {
    times->same_bits = same_bits;
    options.clock = clock_;
    auto created = Session::create(plan_, {std::make_shared<KernelHost>(clock_, times)}, options);
    if (!created) FAIL(created.error().to_string());
    session = std::move(*created);
  }

  int64_t run() {
    const SteadyClock::time_point begin = clock_->now();
    const ConstTensorView in[] = {tensor_view(std::span<const float>(x_), {1, 4})};
    const TensorView out[] = {tensor_view(std::span<float>(y_), {1, 4})};
    REQUIRE(session->run(in, out).ok());
    return std::chrono::duration_cast<std::chrono::microseconds>(clock_->now() - begin).count();
  }

  // Returns whether 20 runs in a row take at most this long.
  bool reaches_time(int64_t microseconds) {
    int in_a_row = 0;
    for (int i = 0; i < 100'000 && in_a_row < 20; ++i) {
      in_a_row = run() <= microseconds ? in_a_row + 1 : 0;
      std::this_thread::sleep_for(std::chrono::microseconds(10));
    }
    return in_a_row == 20;
  }

  const std::shared_ptr<KernelTimes> times = std::make_shared<KernelTimes>();
  std::unique_ptr<Session> session;

 private:
  const std::shared_ptr<VirtualClock> clock_ = std::make_shared<VirtualClock>();
  PlanFile file_;
  std::shared_ptr<const Plan> plan_;
  std::vector<float> x_ = std::vector<float>(4), y_ = std::vector<float>(4);
};

TEST_CASE("A session settles on the fastest kernel in its plan, and the next session starts with it") {
  const CacheFolder cache;
  {
    KernelSession session;
    CHECK(session.run() == kBranches * 100);
    CHECK(session.reaches_time(kBranches * 50));
  }
  CHECK(cache.files().size() == 1);
  KernelSession next;
  for (int i = 0; i < 50; ++i) CHECK(next.run() == kBranches * 50);
  CHECK(next.times->computed[0] == 0);
  CHECK(next.times->computed[2] == 0);
}

TEST_CASE("Kernels that are not bit-identical are tried only on request") {
  KernelSession same({}, false);
  for (int i = 0; i < 300; ++i) CHECK(same.run() == kBranches * 100);
  SessionOptions options;
  options.adaptation.kernels = KernelChoice::kAnyBits;
  KernelSession any(options, false);
  CHECK(any.reaches_time(kBranches * 50));
}

TEST_CASE("A session restricted to the compiler's kernels tries no others") {
  SessionOptions options;
  options.adaptation.kernels = KernelChoice::kCompiler;
  KernelSession session(options);
  for (int i = 0; i < 300; ++i) CHECK(session.run() == kBranches * 100);
}

TEST_CASE("A session keeps its kernels if others cannot be prepared") {
  const Quiet quiet;
  KernelSession session;
  session.times->cannot_prepare = true;
  for (int i = 0; i < 300; ++i) {
    CHECK(session.run() == kBranches * 100);
    std::this_thread::sleep_for(std::chrono::microseconds(10));
  }
}

TEST_CASE("Damaged learned costs of kernels are ignored") {
  const Quiet quiet;
  const CacheFolder cache;
  {
    KernelSession session;
    REQUIRE(session.reaches_time(kBranches * 50));
  }
  REQUIRE(cache.files().size() == 1);
  fs::resize_file(cache.files()[0], fs::file_size(cache.files()[0]) - 3);
  KernelSession next;
  CHECK(next.run() == kBranches * 100);
}

}  // namespace
}  // namespace nestrt::test
