// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/board/system_files.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "test/support/process/temporary_folder.h"

namespace nestrt::evta {
namespace {

TEST_CASE("Numbers of sysfs attributes are decimal or hexadecimal, and anything else is not a number") {
  const nestrt::test::TemporaryFolder folder;
  const SystemFiles system(folder.path());
  const auto number_in = [&](std::string_view text) {
    folder.write_text("attribute", text);
    return system.read_number("/attribute");
  };
  CHECK(number_in("67108864\n") == 67108864);
  CHECK(number_in("0x00000000a0000000\n") == 0xa0000000);
  for (const char* const text : {"", "\n", "0x", "12a", "-1", " 1", "0x1ffffffffffffffff"})
    CHECK_FALSE(number_in(text));
  CHECK_FALSE(system.read_number("/missing"));
  CHECK_FALSE(system.read_text("/"));
}

TEST_CASE("Devices are listed in the order of their numbers") {
  const nestrt::test::TemporaryFolder folder;
  const SystemFiles system(folder.path());
  for (const char* const name : {"uio10", "uio2", "uio0", "power"})
    std::filesystem::create_directory(folder.path() + "/" + name);
  CHECK(system.list("/") == std::vector<std::string>{"power", "uio0", "uio2", "uio10"});
  CHECK(system.list("/missing").empty());
}

TEST_CASE("The root of the system's files comes from an environment variable") {
  setenv("NESTRT_SYSTEM_ROOT", "/somewhere", 1);
  CHECK(SystemFiles::from_environment().path("/dev/uio0") == "/somewhere/dev/uio0");
  unsetenv("NESTRT_SYSTEM_ROOT");
  CHECK(SystemFiles::from_environment().path("/dev/uio0") == "/dev/uio0");
}

}  // namespace
}  // namespace nestrt::evta
