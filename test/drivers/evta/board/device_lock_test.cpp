// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/board/device_lock.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "nestrt/driver/event.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::evta {
namespace {

namespace fs = std::filesystem;

class Root {
 public:
  Root() { fs::create_directories(folder_.path() + "/tmp"); }

  std::string path() const { return folder_.path(); }
  SystemFiles system() const { return SystemFiles(folder_.path()); }
  Result<DeviceLock> acquire(std::string_view name, std::chrono::milliseconds limit = {}) const {
    return DeviceLock::acquire(system(), name, limit);
  }

 private:
  const nestrt::test::TemporaryFolder folder_;
};

TEST_CASE("A device lock excludes others until it is released, and locks of other devices do not") {
  const Root root;
  {
    const auto lock = root.acquire("evta at 0xa0000000");
    REQUIRE(lock);
    const auto second = root.acquire("evta at 0xa0000000");
    REQUIRE_FALSE(second);
    CHECK(second.error().code() == Code::kUnavailable);
    CHECK(second.error().message() == "evta at 0xa0000000 is in use by this process (" + std::to_string(getpid()) +
                                          "); stop it, or wait for its end");
    CHECK(root.acquire("evta at 0xa0010000"));
  }
  CHECK(root.acquire("evta at 0xa0000000"));
}

TEST_CASE("A request for a device lock waits for its release") {
  const Root root;
  auto lock = std::make_unique<DeviceLock>(*root.acquire("evta"));
  const auto start = SteadyClock::now();
  CHECK_FALSE(root.acquire("evta", std::chrono::milliseconds(50)));
  CHECK(SteadyClock::now() - start >= std::chrono::milliseconds(50));
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    lock.reset();
  });
  CHECK(root.acquire("evta", std::chrono::seconds(30)));
  release.join();
}

TEST_CASE("Every user can use a device lock that another user created") {
  const Root root;
  const mode_t before = umask(077);
  REQUIRE(root.acquire("evta"));
  umask(before);
  const auto rights = fs::status(root.path() + "/tmp/nestrt-evta.lock").permissions();
  CHECK(rights == static_cast<fs::perms>(0666));
}

TEST_CASE("Device locks are in /run/lock only if every user may create files there") {
  const Root root;
  fs::create_directories(root.path() + "/run/lock");
  fs::permissions(root.path() + "/run/lock", static_cast<fs::perms>(0755));
  REQUIRE(root.acquire("one"));
  CHECK(fs::exists(root.path() + "/tmp/nestrt-one.lock"));
  fs::permissions(root.path() + "/run/lock", static_cast<fs::perms>(01777));
  REQUIRE(root.acquire("two"));
  CHECK(fs::exists(root.path() + "/run/lock/nestrt-two.lock"));
}

TEST_CASE("A lock file that is a link or not a regular file is rejected with its path") {
  const Root root;
  const std::string target = root.path() + "/target", lock = root.path() + "/tmp/nestrt-evta.lock";
  fs::create_symlink(target, lock);
  CHECK(root.acquire("evta").error().message().find(lock) != std::string_view::npos);
  CHECK_FALSE(fs::exists(target));
  fs::remove(lock);
  REQUIRE(mkfifo(lock.c_str(), 0666) == 0);
  CHECK(root.acquire("evta").error().code() == Code::kUnavailable);
}

TEST_CASE("The holder of an inherited lock is reported as a child of an ended process") {
  const Root root;
  const auto lock = root.acquire("evta");
  REQUIRE(lock);
  const pid_t ended = fork();
  if (ended == 0) _exit(0);
  REQUIRE(waitpid(ended, nullptr, 0) == ended);
  std::ofstream(root.path() + "/tmp/nestrt-evta.lock") << ended << "\n";
  CHECK(root.acquire("evta").error().message().find("in use by a child of process " + std::to_string(ended)) !=
        std::string_view::npos);
}

}  // namespace
}  // namespace nestrt::evta
