// SPDX-License-Identifier: Apache-2.0
// Tests who excludes a second process from an accelerator on a Zynq. XRT's contexts do not: zocl maps the registers of
// every compute unit for every process, with or without a context. nestrt's lock does.
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "drivers/evta/board/stage_registers.h"
#include "test/boards/emulation/driver.h"
#include "test/boards/emulation/evta_board.h"
#include "test/boards/emulation/probe_run.h"
#include "test/boards/logic/board_process.h"
#include "test/boards/logic/outliving_logic.h"
#include "test/support/evta/evta_configuration.h"

namespace nestrt::boards {
namespace {

constexpr int kAsExpected = 0, kUnexpected = 2;
constexpr uint32_t kForeignCount = 0x1234;

// XRT's C interface, of the library that xrt::ip itself calls.
struct XrtShim {
  void* (*open)(unsigned device, const char* log, int verbosity);
  int (*load_xclbin)(void* device, const void* xclbin);
  int (*write_register)(void* device, uint32_t unit, uint32_t offset, uint32_t value);
  int (*read_register)(void* device, uint32_t unit, uint32_t offset, uint32_t* value);
};

template <typename Function>
bool find_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool find_shim(XrtShim& shim) {
  void* const library = dlopen(NESTRT_XRT_CORE, RTLD_NOW);
  return library != nullptr && find_function(library, "xclOpen", shim.open) &&
         find_function(library, "xclLoadXclBin", shim.load_xclbin) &&
         find_function(library, "xclRegWrite", shim.write_register) &&
         find_function(library, "xclRegRead", shim.read_register);
}

const evta::XrtOptions& zynq_options() {
  static const evta::XrtOptions kOptions = [] {
    Board::instance().set_configuration(evta::test::stock_configuration());
    return options_for(stages_xclbin());
  }();
  return kOptions;
}

// Forwards a child's accesses to logic that is created after the fork. A child of a process with several threads, such
// as the logic's, cannot access registers in an emulated processor.
class LateLogic final : public BoardLogic {
 public:
  void set(OutlivingLogic& logic) { logic_ = &logic; }
  uint32_t answer(const BoardRequest& request) override { return logic_->answer(request); }

 private:
  OutlivingLogic* logic_ = nullptr;
};

// Blocks a child until the parent has opened the accelerator. The child is forked before, because XRT does not survive
// a fork.
class StartSignal {
 public:
  StartSignal() { REQUIRE(pipe(ends_.data()) == 0); }
  ~StartSignal() {
    for (const int end : ends_) ::close(end);
  }
  StartSignal(const StartSignal&) = delete;

  void send() { REQUIRE(write(ends_[1], "x", 1) == 1); }
  void await() {
    char received = 0;
    static_cast<void>(read(ends_[0], &received, 1) == 1);
  }

 private:
  std::array<int, 2> ends_{};
};

// Writes to a register of the fetch stage without a context, as a program that uses XRT's C interface can.
int write_without_context() {
  XrtShim shim{};
  if (!find_shim(shim)) return kUnexpected;
  std::ifstream file(zynq_options().xclbin, std::ios::binary);
  const std::vector<char> xclbin{std::istreambuf_iterator<char>(file), {}};
  void* const device = shim.open(0, nullptr, 0);
  if (device == nullptr || shim.load_xclbin(device, xclbin.data()) != 0) return kUnexpected;
  uint32_t count = 0;
  const bool has_access = shim.write_register(device, 0, evta::kFetchCount, kForeignCount) == 0 &&
                          shim.read_register(device, 0, evta::kFetchCount, &count) == 0;
  return has_access && count == kForeignCount ? kAsExpected : kUnexpected;
}

int open_with_nestrt(pid_t holder) {
  const auto transport = evta::make_xrt_transport(zynq_options());
  const bool is_refused =
      !transport && transport.error().code() == Code::kUnavailable &&
      transport.error().message().find("process " + std::to_string(holder) + " (") != std::string_view::npos;
  return is_refused ? kAsExpected : kUnexpected;
}

// Runs `work` in a child while this process owns the accelerator. `examine` then receives its stages.
template <typename Work, typename Examine>
void run_while_owned(Work&& work, Examine&& examine) {
  static_cast<void>(zynq_options());
  REQUIRE_FALSE(Board::instance().has_been_opened());
  LateLogic forwarded;
  StartSignal is_owned;
  BoardProcess other(forwarded, [&](const auto&) {
    is_owned.await();
    Board::instance().use_registers(forwarded);
    return work();
  });
  OutlivingLogic logic(driver_banks());
  forwarded.set(logic);
  Board::instance().use(logic);
  auto transport = evta::make_xrt_transport(zynq_options());
  if (!transport) FAIL(transport.error().to_string());
  ProbeRun probe(std::move(*transport));
  CHECK(probe.run().ok());
  const uint32_t own_count = logic.stages().read(Stage::kFetch, evta::kFetchCount);
  REQUIRE(own_count != kForeignCount);
  is_owned.send();
  CHECK(other.wait() == kAsExpected);
  examine(own_count, logic.stages());
  CHECK(probe.run().ok());
  CHECK(probe.is_right());
}

TEST_CASE("XRT for Zynq lets a process without a context write to the registers of an accelerator in use") {
  run_while_owned(write_without_context, [](uint32_t, Stages& stages) {
    CHECK(stages.read(Stage::kFetch, evta::kFetchCount) == kForeignCount);
  });
}

TEST_CASE("nestrt refuses an accelerator in use on a Zynq before it accesses a register") {
  run_while_owned([holder = getpid()] { return open_with_nestrt(holder); },
                  [](uint32_t own_count, Stages& stages) {
                    CHECK(stages.read(Stage::kFetch, evta::kFetchCount) == own_count);
                    CHECK(stages.runs_started() == 1);
                  });
}

}  // namespace
}  // namespace nestrt::boards
