// SPDX-License-Identifier: Apache-2.0
// Sends signals whose handlers do not restart system calls, repeatedly during other work.
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "drivers/evta/isa/configuration.h"
#include "nestrt/driver/costs.h"
#include "test/faults/sample_run.h"
#include "test/support/plan/copy_plan.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

// Sends SIGUSR1 to the constructing thread as fast as possible until destroyed.
class Interruptions {
 public:
  Interruptions() : receiver_(::pthread_self()) {
    struct sigaction action {};
    action.sa_handler = [](int) {};  // no SA_RESTART
    ::sigaction(SIGUSR1, &action, &before_);
    sender_ = std::thread([this] {
      while (!stopping_) {
        ::pthread_kill(receiver_, SIGUSR1);
        ++sent_;
        std::this_thread::yield();
      }
    });
    while (sent_ == 0) std::this_thread::yield();
  }
  ~Interruptions() {
    stopping_ = true;
    sender_.join();
    ::sigaction(SIGUSR1, &before_, nullptr);
  }

 private:
  const pthread_t receiver_;
  struct sigaction before_ {};
  std::atomic<bool> stopping_{false};
  std::atomic<int> sent_{0};
  std::thread sender_;
};

TEST_CASE("Loading, preparing and running continue through signals") {
  const TemporaryFolder folder;
  const std::string path = folder.write("copy.nest", evta::test::copy_plan(evta::kConfigurations[0]).build().bytes());
  LoadOptions options;
  options.copy = true;
  const Interruptions interruptions;
  for (int i = 0; i < by_level(3, 10, 100); ++i) {
    const auto plan = Plan::map(path, options);
    REQUIRE(plan);
    const SampleArguments arguments(**plan);
    REQUIRE(open_and_run(*plan, "cpu,evta:sim", 2, arguments).to_string() == "ok");
  }
}

TEST_CASE("Files are written completely despite signals") {
  const TemporaryFolder folder;
  CostTable table;
  for (int i = 0; i < 1000; ++i)
    table.set({"cpu", "", 1}, "work " + std::to_string(i), {1.0 * i, CostSource::kMeasured});
  const Interruptions interruptions;
  for (int i = 0; i < by_level(3, 10, 100); ++i) {
    REQUIRE(write_costs(folder.path() + "/costs", table).ok());
    const auto read = read_costs(folder.path() + "/costs");
    REQUIRE(read);
    REQUIRE(read->units().size() == 1);
    REQUIRE(read->units().begin()->second.size() == 1000);
  }
}

}  // namespace
}  // namespace nestrt::test
