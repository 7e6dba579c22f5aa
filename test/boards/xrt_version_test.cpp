// SPDX-License-Identifier: Apache-2.0
// Tests that an XRT is refused if its binary interface differs from the one that this program was built against.
#include "drivers/evta/xrt/xrt_version.h"

#include <catch2/catch.hpp>
#include <string>

#include "test/support/process/quiet.h"

namespace nestrt::evta {
namespace {

TEST_CASE("The version of XRT is read from the name of its library") {
  CHECK(version_of_library("/opt/xilinx/xrt/lib/libxrt_coreutil.so.2.13.466") == XrtVersion{2, 13});
  CHECK(version_of_library("/usr/lib/libxrt_coreutil.so.2.20") == XrtVersion{2, 20});
  for (const char* const file :
       {"", "/usr/lib/libxrt_coreutil.so", "/usr/lib/libxrt_coreutil.so.2", "/usr/lib.so.x/libxrt.so.a.b"})
    CHECK_FALSE(version_of_library(file));
}

TEST_CASE("An XRT from the other side of the 2.14 interface change is rejected with both versions and the remedy") {
  const std::pair<XrtVersion, const char*> cases[] = {{{2, 13}, "libxrt_coreutil.so.2.14.384"},
                                                      {{2, 13}, "libxrt_coreutil.so.2.23.0"},
                                                      {{2, 14}, "libxrt_coreutil.so.2.13.466"}};
  for (const auto& [built, file] : cases) {
    const Status status = check_xrt_version(built, file);
    CAPTURE(status.to_string());
    CHECK(status.code() == Code::kUnavailable);
    CHECK(status.message().find("XRT 2." + std::to_string(built.minor) + ", but " + file) != std::string_view::npos);
    CHECK(status.message().find("build nestrt with this system's XRT") != std::string_view::npos);
  }
}

TEST_CASE("An XRT with the same interface is accepted") {
  const nestrt::test::Quiet quiet;  // from warnings about minor versions
  CHECK(check_xrt_version({2, 13}, "libxrt_coreutil.so.2.13.0").ok());
  CHECK(check_xrt_version({2, 13}, "libxrt_coreutil.so.2.12.427").ok());
  CHECK(check_xrt_version({2, 14}, "libxrt_coreutil.so.2.20.197").ok());
  CHECK(check_xrt_version({2, 13}, "libxrt_coreutil.so.2").ok());  // the version is unknown
}

TEST_CASE("The installed XRT is the one that this program was built against") { CHECK(check_xrt_version().ok()); }

}  // namespace
}  // namespace nestrt::evta
