// SPDX-License-Identifier: Apache-2.0
// Tests that every error while opening a board through XRT results in a Status with the remedy.
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>

#include "drivers/evta/xrt/xrt_installation.h"
#include "test/boards/emulation/driver.h"
#include "test/boards/emulation/evta_board.h"
#include "test/boards/logic/device_node.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/skip.h"

namespace nestrt::boards {
namespace {

Board& fresh_board() {
  Board& board = Board::instance();
  board.faults().forget();
  board.reset_card();
  board.set_configuration(evta::test::stock_configuration());
  return board;
}

Status failure_of(const evta::XrtOptions& options) {
  const auto transport = evta::make_xrt_transport(options);
  return transport ? Status() : transport.error();
}

void check_failure(const evta::XrtOptions& options, Code code, std::string_view words) {
  const Status status = failure_of(options);
  CAPTURE(status.to_string());
  CHECK(status.code() == code);
  CHECK(status.message().find(words) != std::string_view::npos);
}

// An environment variable, set until the end of the scope.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name), before_(std::getenv(name)) {
    value != nullptr ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Environment() { setenv(name_, before_.c_str(), 1); }

 private:
  const char* const name_;
  const std::string before_;
};

TEST_CASE("The board is listed with its platform and its xclbin") {
  fresh_board();
  REQUIRE(failure_of(options_for(kernel_xclbin())).ok());
  const auto devices = evta::xrt_devices();
  REQUIRE(devices);
  REQUIRE(devices->size() == 1);
  CHECK((*devices)[0].index == "0");
  CHECK((*devices)[0].usable.ok());
  CHECK((*devices)[0].xclbin == "01010101-0101-0101-0101-010101010101");
}

TEST_CASE("A board that cannot be opened is listed with the reason") {
  fresh_board().faults().fail(Call::kOpen, EACCES, 100);
  const auto devices = evta::xrt_devices();
  for (const evta::XrtDevice& device : devices ? *devices : std::vector<evta::XrtDevice>()) {
    CHECK(device.usable.code() == Code::kUnavailable);
    CHECK_FALSE(device.usable.message().empty());
  }
  CHECK(failure_of(options_for(kernel_xclbin())).code() == Code::kUnavailable);
  fresh_board();
  CHECK(failure_of(options_for(kernel_xclbin())).ok());
}

TEST_CASE("A working XRT is used even if its libraries are not where XRT 2.13 looks for them") {
  fresh_board();
  CHECK(failure_of(options_for(kernel_xclbin())).ok());  // XRT loads its libraries once
  const Environment environment("XILINX_XRT", "/nowhere");
  CHECK_FALSE(evta::xrt_installation_advice().empty());
  CHECK(failure_of(options_for(kernel_xclbin())).ok());
  CHECK(evta::xrt_devices());
}

TEST_CASE("If XRT does not find its libraries, only a failure names the variable to set") {
  const Status failure(Code::kUnavailable, "looking for devices: XRT's words");
  const Environment missing("XILINX_XRT", "/nowhere");
  CHECK(evta::with_installation_advice({}).ok());
  const Status advised = evta::with_installation_advice(failure);
  CHECK(advised.code() == Code::kUnavailable);
  CHECK(advised.message().find("XRT's words; XRT loads $XILINX_XRT/lib/libxrt_core.so.2, but /nowhere does not") !=
        std::string_view::npos);
  CHECK(advised.message().find("export XILINX_XRT") != std::string_view::npos);
  const auto complete = Board::instance().root() / "xrt";
  const Environment present("XILINX_XRT", complete.c_str());
  CHECK(evta::with_installation_advice(failure).message() == failure.message());
}

TEST_CASE("The kind of board follows from its driver") {
  const Board& board = fresh_board();
  CHECK(evta::attached_xrt_board(evta::SystemFiles(const_cast<Board&>(board).root())).name == kBoard);
  const test::TemporaryFolder folder;
  CHECK(evta::attached_xrt_board(evta::SystemFiles(folder.path())).name == "u280");
  std::filesystem::create_directories(folder.path() + "/dev/dri/by-path");
  write_node(folder.path() + "/dev/dri/by-path/platform-axi:zyxclmm_drm-render", "");
  CHECK(evta::attached_xrt_board(evta::SystemFiles(folder.path())).name == "zcu102");
}

TEST_CASE("On a Zynq, an xclbin without a bitstream is loaded only if the fabric has a design") {
  Board& board = fresh_board();
  evta::XrtOptions options = options_for(kernel_xclbin());
  options.board = evta::find_xrt_board("zcu102");
  const auto state = board.root() / "sys/class/fpga_manager/fpga0/state";
  write_node(state, "unknown\n");
  board.faults().fail(Call::kLoadXclbin, EIO);
  check_failure(options, Code::kUnavailable, "holds no design");
  CHECK(board.faults().take_error(Call::kLoadXclbin) == EIO);  // zocl, which would read registers, has loaded nothing
  write_node(state, "operating\n");
  const Status status = failure_of(options);
  std::filesystem::remove_all(board.root() / "sys/class/fpga_manager");
  CHECK(status.ok());
}

TEST_CASE("A missing device is reported") {
  fresh_board();
  evta::XrtOptions options = options_for(kernel_xclbin());
  options.device = "7";
  CHECK(failure_of(options).code() == Code::kUnavailable);
  options.device = "no device";
  CHECK_FALSE(failure_of(options).ok());
}

TEST_CASE("A missing or invalid xclbin is reported") {
  const Board& board = fresh_board();
  evta::XrtOptions options = options_for(kernel_xclbin());
  options.xclbin = const_cast<Board&>(board).root() / "none.xclbin";
  check_failure(options, Code::kNotFound, "none.xclbin");
}

TEST_CASE("An xclbin for a different shell is incompatible") {
  fresh_board();
  XclbinDescription description = kernel_xclbin();
  description.shell = "xilinx_u50_gen3x16";
  description.id = 7;
  check_failure(options_for(description), Code::kIncompatible, "a different shell");
}

TEST_CASE("Driver errors while an xclbin is loaded are explained") {
  const std::pair<int, Code> cases[] = {{EOPNOTSUPP, Code::kIncompatible},   {EBUSY, Code::kUnavailable},
                                        {EKEYREJECTED, Code::kIncompatible}, {ETIMEDOUT, Code::kUnavailable},
                                        {EDEADLK, Code::kDeviceFault},       {EIO, Code::kDeviceFault}};
  for (const auto& [error, code] : cases) {
    CAPTURE(error);
    fresh_board().faults().fail(Call::kLoadXclbin, error);
    check_failure(options_for(kernel_xclbin()), code, "error " + std::to_string(error));
  }
  CHECK(failure_of(options_for(kernel_xclbin())).ok());
}

TEST_CASE("While a unit is open, no other xclbin can be loaded and its compute unit is exclusive") {
  fresh_board();
  auto open = evta::make_xrt_transport(options_for(kernel_xclbin()));
  REQUIRE(open);
  check_failure(options_for(kernel_xclbin()), Code::kUnavailable, "in use by this process");
  XclbinDescription other = kernel_xclbin();
  other.id = 12;
  evta::XrtOptions options = options_for(other);
  options.instance = 1;
  check_failure(options, Code::kUnavailable, "error 16");
  open->reset();
  CHECK(failure_of(options_for(stages_xclbin())).ok());
  CHECK(failure_of(options_for(kernel_xclbin())).ok());
}

TEST_CASE("A compute unit that another process has opened is in use, whichever errno the driver returns") {
  for (const int error : {EBUSY, EINVAL})
    for (const XclbinDescription& xclbin : {kernel_xclbin(), stages_xclbin()}) {
      fresh_board();
      REQUIRE(failure_of(options_for(xclbin)).ok());  // loads it
      Board::instance().faults().fail(Call::kOpenContext, error);
      check_failure(options_for(xclbin), Code::kUnavailable, "another process");
    }
}

TEST_CASE("Compute units of one card work concurrently") {
  fresh_board();
  evta::XrtOptions options = options_for(kernel_xclbin());
  const auto first = open_unit(options, evta::test::stock_configuration(), 0);
  options.instance = 1;
  const auto second = open_unit(options, evta::test::stock_configuration(), 1);
  for (int i = 0; i < 5; ++i) {
    CHECK(first->probe().ok());
    CHECK(second->probe().ok());
  }
  options.instance = 2;
  check_failure(options, Code::kNotFound, "vta:vta_2");
}

TEST_CASE("Compute units are found by name") {
  fresh_board();
  evta::XrtOptions options = options_for(kernel_xclbin());
  options.compute_units = {"vta_2"};
  CHECK(failure_of(options).ok());
  options.compute_units = {"vta_9"};
  check_failure(options, Code::kNotFound, "vta_9");
}

TEST_CASE("An error about an xclbin without the accelerator lists its compute units") {
  fresh_board();
  XclbinDescription description = kernel_xclbin();
  description.id = 8;
  description.kernels[0].name = "vadd";
  check_failure(options_for(description), Code::kNotFound, "vadd:vta_1");
  evta::XrtOptions options = options_for(description);
  options.kernel = "vadd";
  CHECK(failure_of(options).ok());
}

TEST_CASE("A kernel with unexpected arguments is incompatible") {
  fresh_board();
  XclbinDescription description = kernel_xclbin();
  description.id = 9;
  description.kernels[0].arguments.erase(description.kernels[0].arguments.begin());
  check_failure(options_for(description), Code::kIncompatible, "arguments");
}

TEST_CASE("A user-managed kernel with other registers is incompatible, and the error lists the expected ones") {
  fresh_board();
  for (const size_t argument : {0u, 1u, 3u, 6u}) {
    XclbinDescription description = user_managed_xclbin();
    description.id = static_cast<unsigned char>(20 + argument);
    description.kernels[0].arguments[argument].offset += 4;
    const std::string& name = description.kernels[0].arguments[argument].name;
    check_failure(options_for(description), Code::kIncompatible, "argument '" + name + "'");
  }
  XclbinDescription without = user_managed_xclbin();
  without.id = 30;
  without.kernels[0].arguments.pop_back();
  check_failure(options_for(without), Code::kIncompatible, "'outputs' of the user-managed kernel vta:vta_1 is missing");
}

TEST_CASE("A kernel whose ports have no common bank is incompatible") {
  fresh_board();
  XclbinDescription description = kernel_xclbin();
  if (description.banks.size() < 2) return nestrt::test::skip("the board has one bank");
  description.id = 10;
  description.kernels[0].banks = {{0, 1}, {0}};
  check_failure(options_for(description), Code::kIncompatible, "no common memory bank");
}

TEST_CASE("A bank beyond the accelerator's addresses is incompatible") {
  fresh_board();
  XclbinDescription description = kernel_xclbin();
  if (description.banks.size() <= 16) return nestrt::test::skip("the board has few banks");
  description.id = 11;
  description.kernels[0].banks = {{16}, {17}};
  const auto transport = evta::make_xrt_transport(options_for(description));
  REQUIRE(transport);
  const auto buffer = (*transport)->allocate(4096, 0);
  REQUIRE_FALSE(buffer);
  CHECK(buffer.error().code() == Code::kIncompatible);
  CHECK(buffer.error().message().find("4 GiB") != std::string_view::npos);
}

TEST_CASE("With load_xclbin off, a unit opens only if its xclbin is already loaded") {
  fresh_board();
  REQUIRE(failure_of(options_for(stages_xclbin())).ok());
  evta::XrtOptions options = options_for(kernel_xclbin());
  options.load_xclbin = false;
  check_failure(options, Code::kUnavailable, "runs xclbin");
  options.load_xclbin = true;
  REQUIRE(failure_of(options).ok());
  options.load_xclbin = false;
  CHECK(failure_of(options).ok());
}

}  // namespace
}  // namespace nestrt::boards
