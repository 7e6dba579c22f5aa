// SPDX-License-Identifier: Apache-2.0
// Tests evta:uio as an application opens it: by name, through the component that libnestrt loads.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <thread>

#include "nestrt/driver/unit.h"
#include "nestrt/open_units.h"
#include "test/boards/logic/board_process.h"
#include "test/uio/emulation/uio_unit.h"

namespace nestrt::boards {
namespace {

TEST_CASE("An application opens evta:uio by name") {
  const UioBoard board({.accelerators = 2});
  const auto units = open_units("cpu,evta:uio:2_1x16_15_15_18_17");
  if (!units) FAIL(units.error().to_string());
  REQUIRE(units->size() == 3);
  CHECK((*units)[1]->info().name == "evta0");
  CHECK((*units)[2]->probe().ok());
  CHECK(open_units("evta", {.transport = "uio"}).error().message().find("in use by this process") != std::string::npos);
}

TEST_CASE("A device is selected by an option, or else by an environment variable") {
  const UioBoard board({.accelerators = 2});
  setenv("NESTRT_DEVICE", "uio7", 1);
  CHECK(open_units("evta:uio").error().message().find("'uio7'") != std::string::npos);
  CHECK(open_units("evta:uio", {.device = "uio1@udmabuf0"}));
  unsetenv("NESTRT_DEVICE");
}

TEST_CASE("An application waits for the board on request") {
  UioBoard board;
  // A child of fork() that starts threads would not run in an emulated processor.
  BoardProcess holding(board, [](const auto& notify) {
    const auto transport = evta::make_uio_transport(uio_options());
    notify();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return transport ? 0 : 1;
  });
  holding.await_notification();
  CHECK(open_units("evta:uio").error().message().find("in use by process") != std::string::npos);
  CHECK(open_units("evta:uio", {.device_wait = std::chrono::seconds(30)}));
  CHECK(holding.wait() == 0);
}

TEST_CASE("The units of a machine include the board's accelerators") {
  const UioBoard board({.accelerators = 2});
  const auto units = list_units({.num_threads = 1});
  REQUIRE(units);
  int usable = 0;
  for (const UnitReport& unit : *units) usable += unit.unit == "evta:uio" && unit.usable.ok() ? 1 : 0;
  CHECK(usable == 2);
}

}  // namespace
}  // namespace nestrt::boards
