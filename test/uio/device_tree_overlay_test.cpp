// SPDX-License-Identifier: Apache-2.0
// Tests reading compiled device tree overlays, including damaged ones.
#include "drivers/evta/uio/device_tree_overlay.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "test/support/skip.h"
#include "test/uio/emulation/overlay_file.h"

namespace nestrt::boards {
namespace {

TEST_CASE("The bitstream that an overlay loads is found") {
  for (const std::string name : {"a", "evta.bit.bin", "xilinx/evta/evta.bit.bin"}) {
    const auto found = evta::bitstream_of_overlay(make_overlay(name));
    REQUIRE(found);
    CHECK(*found == name);
  }
  const auto none = evta::bitstream_of_overlay(make_overlay(""));
  REQUIRE(none);
  CHECK(none->empty());
}

TEST_CASE("A file that is not a compiled device tree is rejected") {
  for (const std::string text : {"", "\xd0\x0d", "/dts-v1/;\n/plugin/;\n/ {};\n", "\xd0\x0d\xfe\xed\1\2\3\4"}) {
    const auto found = evta::bitstream_of_overlay(text);
    REQUIRE_FALSE(found);
    CHECK(found.error().code() == Code::kInvalidArgument);
    CHECK(found.error().message().find("dtc -@") != std::string_view::npos);
  }
}

TEST_CASE("A truncated or damaged overlay yields no text from outside of the file") {
  const std::string whole = make_overlay("evta.bit.bin");
  const auto check = [&](const std::string& damaged) {
    // In its own allocation, so that sanitizers detect accesses beyond its end.
    const auto bytes = std::make_unique<char[]>(damaged.size());
    damaged.copy(bytes.get(), damaged.size());
    const auto found = evta::bitstream_of_overlay({bytes.get(), damaged.size()});
    CHECK((!found || found->empty() || damaged.find(*found) != std::string::npos));
  };
  for (size_t size = 0; size < whole.size(); ++size) check(whole.substr(0, size));
  for (size_t i = 0; i < whole.size(); ++i)
    for (const int value : {0x00, 0x01, 0x03, 0x7f, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(value);
      check(damaged);
    }
}

TEST_CASE("The installed overlay compiles and loads evta.bit.bin") {
  if (std::system("dtc --version >/dev/null 2>&1") != 0) return nestrt::test::skip("dtc is not installed");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> compiled(
      popen("dtc -@ -q -I dts -O dtb " NESTRT_SOURCE_DIR "/boards/uio/evta.dtso", "r"), pclose);
  REQUIRE(compiled != nullptr);
  std::array<char, 65536> bytes{};
  const size_t size = std::fread(bytes.data(), 1, bytes.size(), compiled.get());
  const auto found = evta::bitstream_of_overlay({bytes.data(), size});
  if (!found) FAIL(found.error().to_string());
  CHECK(*found == "evta.bit.bin");
}

}  // namespace
}  // namespace nestrt::boards
