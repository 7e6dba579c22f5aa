// SPDX-License-Identifier: Apache-2.0
// Tests what a user sees on a system whose XRT is not the one that the component was built against, or is incomplete.
#ifdef NESTRT_XRT_LIBRARY

#include <catch2/catch.hpp>
#include <filesystem>

#include "test/support/plan/program.h"
#include "test/support/process/environment.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

// Runs `nestrt info` with the installed XRT under the name of another version.
std::string info_with_xrt(const std::string& version) {
  const TemporaryFolder folder;
  const std::string library = folder.path() + "/libxrt_coreutil.so." + version;
  std::filesystem::copy_file(NESTRT_XRT_LIBRARY, library);
  std::filesystem::create_symlink(library, folder.path() + "/libxrt_coreutil.so.2");
  const Environment environment("LD_LIBRARY_PATH", folder.path().c_str());
  const ProgramResult info = run_program("nestrt", {"info"});
  CHECK(info.exit_code == 0);
  return info.text;
}

bool is_refused(const std::string& text) { return text.find("changed its binary interface") != std::string::npos; }

TEST_CASE("nestrt info refuses an XRT with another binary interface and accepts one with the same") {
  const std::string before = info_with_xrt("2.13.9"), after = info_with_xrt("2.14.354");
  INFO(before << after);
  CHECK(is_refused(before) != is_refused(after));
}

// The emulated boards provide XRT's libraries; here XRT itself searches for them.
TEST_CASE("nestrt info tries XRT, and shows XRT's error with the variable to set if its libraries are missing") {
  const TemporaryFolder folder;
  const Environment environment("XILINX_XRT", folder.path().c_str());
  const ProgramResult info = run_program("nestrt", {"info"});
  CAPTURE(info.text);
  CHECK(info.exit_code == 0);
#ifndef __aarch64__  // where the error for a missing /dev/dri comes first
  CHECK(info.text.find("looking for devices: No such library") != std::string::npos);
  CHECK(info.text.find("export XILINX_XRT") != std::string::npos);
#endif
}

}  // namespace
}  // namespace nestrt::test

#endif
