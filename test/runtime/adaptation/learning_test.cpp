// SPDX-License-Identifier: Apache-2.0
// Tests that a session without known costs starts immediately, learns costs from its runs, and stores them for the next
// session.
#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "nestrt/driver/schedule.h"
#include "test/runtime/adaptation/cache_folder.h"
#include "test/runtime/support/virtual_board.h"
#include "test/support/process/quiet.h"

namespace nestrt::test {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kHostUs = 10, kNpuUs = 100;

bool uses_npu(const Session& session) {
  const Schedule schedule = session.schedule();
  return std::ranges::any_of(schedule.steps, [&](const Step& step) { return schedule.lanes[step.lane].unit == 1; });
}

VirtualBoard board_without_known_costs() { return VirtualBoard(kHostUs, kNpuUs, {}, false); }

// Returns whether the schedule stops using the unit that is ten times slower.
bool learns(VirtualBoard& board) {
  const auto has_learned = [&] { return board.npu->computed > 0 && !uses_npu(*board.session); };
  for (int run = 0; run < 100'000 && !has_learned(); ++run) {
    board.run();
    std::this_thread::sleep_for(std::chrono::microseconds(10));
  }
  return has_learned();
}

TEST_CASE("Creating a session runs nothing") {
  const VirtualBoard board = board_without_known_costs();
  CHECK(board.host->computed == 0);
  CHECK(board.npu->computed == 0);
}

TEST_CASE("A session learns the speeds of its units, and the next session uses them") {
  const CacheFolder cache;
  {
    VirtualBoard board = board_without_known_costs();
    REQUIRE(learns(board));
  }
  CHECK(cache.files().size() == 1);
  const VirtualBoard next = board_without_known_costs();
  CHECK_FALSE(uses_npu(*next.session));
  CHECK(next.npu->computed == 0);
}

TEST_CASE("Damaged learned costs are ignored") {
  const Quiet quiet;
  const bool begins_with_npu = uses_npu(*board_without_known_costs().session);
  const CacheFolder cache;
  {
    VirtualBoard board = board_without_known_costs();
    REQUIRE(learns(board));
  }
  REQUIRE(cache.files().size() == 1);
  fs::resize_file(cache.files()[0], fs::file_size(cache.files()[0]) / 2);
  VirtualBoard next = board_without_known_costs();
  CHECK(uses_npu(*next.session) == begins_with_npu);
  next.run();
}

TEST_CASE("A session that keeps no costs writes no file") {
  const CacheFolder cache;
  SessionOptions options;
  options.costs.keep = false;
  {
    VirtualBoard board(kHostUs, kNpuUs, options, false);
    REQUIRE(learns(board));
  }
  CHECK(cache.files().empty());
}

}  // namespace
}  // namespace nestrt::test
