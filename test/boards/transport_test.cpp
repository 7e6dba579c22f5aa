// SPDX-License-Identifier: Apache-2.0
// Tests, step by step, how the transport over XRT handles XRT's behaviour and board faults.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <thread>

#include "test/boards/emulation/driver.h"
#include "test/boards/emulation/evta_board.h"
#include "test/boards/emulation/probe_run.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/skip.h"

namespace nestrt::boards {
namespace {

BoardFaults& faults() { return Board::instance().faults(); }

// Returns a transport to the first compute unit of a board without faults.
std::unique_ptr<evta::Transport> open_transport() {
  Board& board = Board::instance();
  board.faults().forget();
  board.reset_card();
  board.set_configuration(evta::test::stock_configuration());
  auto transport = evta::make_xrt_transport(options_for(kernel_xclbin()));
  if (!transport) FAIL(transport.error().to_string());
  return std::move(*transport);
}

void check_runs(ProbeRun& probe) {
  const Status status = probe.run();
  CAPTURE(status.to_string());
  CHECK(status.ok());
  CHECK(probe.is_right());
}

// Waits until the compute unit hangs.
void start_hanging(ProbeRun& probe) {
  faults().next_run(RunFault::kHang);
  REQUIRE(probe.start().ok());
  while (!faults().all_begun()) std::this_thread::yield();
}

TEST_CASE("A program runs repeatedly on the board") {
  ProbeRun probe(open_transport());
  CHECK(probe.transport().name() == "xrt");
  for (int i = 0; i < 20; ++i) check_runs(probe);
}

TEST_CASE("Results are not visible before they are transferred") {
  ProbeRun probe(open_transport());
  REQUIRE(probe.transfer_inputs().ok());
  REQUIRE(probe.start().ok());
  REQUIRE(probe.wait().ok());
  CHECK_FALSE(probe.is_right());
  REQUIRE(probe.take_results().ok());
  CHECK(probe.is_right());
}

TEST_CASE("Inputs are not visible before they are transferred") {
  ProbeRun probe(open_transport());
  REQUIRE(probe.start().ok());
  CHECK_FALSE((probe.wait().ok() && probe.take_results().ok() && probe.is_right()));
  REQUIRE(probe.transport().reset().ok());
  check_runs(probe);
}

TEST_CASE("A run that hangs ends at the deadline, and a reset stops it") {
  ProbeRun probe(open_transport());
  start_hanging(probe);
  const auto start = SteadyClock::now();
  CHECK(probe.wait(std::chrono::milliseconds(200)).code() == Code::kDeadlineExceeded);
  CHECK(SteadyClock::now() - start >= std::chrono::milliseconds(200));
  CHECK(probe.transport().reset().ok());
  check_runs(probe);
}

TEST_CASE("A run that was never waited for is not restarted before a reset") {
  ProbeRun probe(open_transport());
  start_hanging(probe);
  for (int i = 0; i < 3; ++i) CHECK(probe.start().code() == Code::kUnavailable);
  CHECK(probe.transport().reset().ok());
  check_runs(probe);
}

TEST_CASE("An interrupt before or during a wait ends the wait, and the run continues") {
  ProbeRun probe(open_transport());
  faults().next_run(RunFault::kLate);
  REQUIRE(probe.transfer_inputs().ok());
  REQUIRE(probe.start().ok());
  probe.transport().interrupt();
  CHECK(probe.wait().code() == Code::kCancelled);
  CHECK(probe.wait().ok());
  REQUIRE(probe.take_results().ok());
  CHECK(probe.is_right());
}

TEST_CASE("A compute unit that ends with an error counts as a device fault and works again after a reset") {
  ProbeRun probe(open_transport());
  faults().next_run(RunFault::kError);
  REQUIRE(probe.start().ok());
  const Status status = probe.wait();
  CHECK(status.code() == Code::kDeviceFault);
  CHECK(status.message().find("state 5") != std::string_view::npos);
  CHECK(probe.transport().reset().ok());
  check_runs(probe);
}

TEST_CASE("A failed transfer counts as a device fault") {
  ProbeRun probe(open_transport());
  faults().fail(Call::kSync, EIO);
  CHECK(probe.transfer_inputs().code() == Code::kDeviceFault);
  REQUIRE(probe.transfer_inputs().ok());
  REQUIRE(probe.start().ok());
  REQUIRE(probe.wait().ok());
  faults().fail(Call::kSync, EIO);
  CHECK(probe.take_results().code() == Code::kDeviceFault);
  check_runs(probe);
}

TEST_CASE("After the driver rejects a start, a wait returns immediately and the next start works") {
  for (const int error : {EIO, EBUSY, ENOMEM, EINVAL, EDEADLK}) {
    ProbeRun probe(open_transport());
    faults().fail(Call::kExecute, error);
    CHECK_FALSE(probe.start().ok());
    CHECK(probe.wait().ok());  // nothing runs
    CHECK(probe.transport().reset().ok());
    check_runs(probe);
  }
}

TEST_CASE("A compute unit without a reset is lost after its first hang until the card is reset") {
  ProbeRun probe(open_transport());
  faults().set_resettable(false);
  start_hanging(probe);
  CHECK(probe.transport().reset().ok());
  const Status status = probe.start();
  CHECK(status.code() == Code::kDeviceFault);
  CHECK(status.message().find("reset the card") != std::string_view::npos);
  Board::instance().reset_card();
  check_runs(probe);
}

TEST_CASE("A reset fails after its time limit if the driver does not respond, and succeeds once the driver responds") {
  ProbeRun probe(open_transport());
  faults().set_deaf(true);
  start_hanging(probe);
  CHECK(probe.transport().reset().code() == Code::kDeviceFault);
  const auto start = SteadyClock::now();
  CHECK(probe.transport().reset().code() == Code::kDeviceFault);  // does not wait again
  CHECK(SteadyClock::now() - start < std::chrono::seconds(1));
  CHECK(probe.start().code() == Code::kUnavailable);
  Board::instance().answer_aborts();
  Status status;
  for (int i = 0; i < 1000 && !(status = probe.transport().reset()).ok(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(status.ok());
  check_runs(probe);
}

TEST_CASE("Memory of any requested size is allocated in the accelerator's bank") {
  const auto transport = open_transport();
  for (const uint64_t size : {1, 63, 4095, 4096, 4097, 100000})
    for (const uint64_t offset : {0, 16, 4080}) {
      const auto buffer = transport->allocate(size, offset);
      REQUIRE(buffer);
      CHECK((*buffer)->bytes().size() == size);
      CHECK((*buffer)->address() % evta::kPageBytes == offset);
      std::ranges::fill((*buffer)->bytes(), std::byte{1});
      CHECK((*buffer)->to_device(0, size).ok());
      CHECK((*buffer)->from_device(size - 1, 1).ok());
    }
}

TEST_CASE("An allocation larger than the bank is rejected, and one that fits is not") {
  const auto transport = open_transport();
  const MemoryBank bank = kernel_xclbin().banks[0];
  CHECK(transport->allocate(bank.size + (44u << 20), 0).error().code() == Code::kOutOfMemory);
  CHECK(transport->allocate(uint64_t{1} << 40, 0).error().code() == Code::kOutOfMemory);
  CHECK(transport->allocate(UINT64_MAX, 16).error().code() == Code::kOutOfMemory);
  CHECK(transport->allocate(1 << 20, 0));
}

TEST_CASE("In a fragmented bank, an allocation larger than every gap is rejected, and the gaps are used") {
  const auto transport = open_transport();
  const uint64_t piece = kernel_xclbin().banks[0].size / 8;
  std::vector<std::shared_ptr<evta::DeviceBuffer>> pieces;
  for (auto next = transport->allocate(piece, 0); next; next = transport->allocate(piece, 0)) pieces.push_back(*next);
  REQUIRE(pieces.size() >= 4);
  for (const size_t i : {0, 2}) pieces[i].reset();
  CHECK(transport->allocate(piece + evta::kPageBytes, 0).error().code() == Code::kOutOfMemory);
  for (const size_t i : {0, 2}) {
    const auto again = transport->allocate(piece, 0);
    REQUIRE(again);
    pieces[i] = *again;
  }
}

TEST_CASE("An allocation that the driver rejects is an out-of-memory error") {
  const auto transport = open_transport();
  faults().fail(Call::kCreateBuffer, ENOMEM);
  CHECK(transport->allocate(4096, 0).error().code() == Code::kOutOfMemory);
  CHECK(transport->allocate(4096, 0));
}

TEST_CASE("A buffer in a bank other than the accelerator's is rejected, not copied") {
  const auto transport = open_transport();
  if (kernel_xclbin().banks.size() < 2) return nestrt::test::skip("the board has one bank");
  faults().set_wrong_bank(true);
  const auto buffer = transport->allocate(4096, 0);
  REQUIRE_FALSE(buffer);
  CHECK(buffer.error().code() == Code::kIncompatible);
  CHECK(buffer.error().message().find("bank") != std::string_view::npos);
}

TEST_CASE("Memory beyond a bank that the xclbin states too small is accepted on a Zynq and rejected on a card") {
  faults().forget();
  XclbinDescription description = kernel_xclbin();
  description.id = 42;
  description.banks[0].size = 64 << 10;
  evta::XrtOptions options = options_for(description);
  const auto allocate = [&](std::string_view board) {
    options.board = evta::find_xrt_board(board);
    const auto transport = evta::make_xrt_transport(options);
    if (!transport) FAIL(transport.error().to_string());
    const auto buffer = (*transport)->allocate(1 << 20, 0);
    return buffer ? Status() : buffer.error();
  };
  CHECK(allocate("zcu102").to_string() == Status().to_string());
  if (kBoard != "u280") return;  // this XRT has no address of a card
  const Status refused = allocate("u280");
  CHECK(refused.code() == Code::kIncompatible);
  CHECK(refused.message().find("outside bank") != std::string_view::npos);
}

TEST_CASE("Every call to a removed device fails without waiting") {
  ProbeRun probe(open_transport());
  for (const Call call : {Call::kSync, Call::kExecute, Call::kCreateBuffer}) faults().fail(call, ENODEV, 1000);
  CHECK_FALSE(probe.transfer_inputs().ok());
  CHECK_FALSE(probe.start().ok());
  CHECK_FALSE(probe.transport().allocate(4096, 0));
  CHECK_FALSE(probe.take_results().ok());
  CHECK(probe.transport().reset().ok());  // nothing runs
  faults().forget();
  check_runs(probe);
}

}  // namespace
}  // namespace nestrt::boards
