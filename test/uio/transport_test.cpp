// SPDX-License-Identifier: Apache-2.0
// Tests the transport without XRT, step by step: registers, memory, interrupts, and their faults.
#include <algorithm>
#include <catch2/catch.hpp>
#include <thread>

#include "test/boards/emulation/probe_run.h"
#include "test/uio/emulation/uio_unit.h"

namespace nestrt::boards {
namespace {

void check_runs_on(ProbeRun& probe, int runs = 1) {
  for (int i = 0; i < runs; ++i) {
    const Status status = probe.run();
    CAPTURE(status.to_string());
    CHECK(status.ok());
    CHECK(probe.is_right());
  }
}

TEST_CASE("A program runs repeatedly without XRT, with every description of the registers") {
  for (const bool has_node_per_stage : {false, true})
    for (const bool has_interrupt : {false, true}) {
      const UioBoard board({.has_node_per_stage = has_node_per_stage, .has_interrupt = has_interrupt});
      ProbeRun probe(open_uio_transport());
      CHECK(probe.transport().name() == "uio");
      check_runs_on(probe, 20);
    }
}

TEST_CASE("Registers in /dev/mem are used on request") {
  const UioBoard board;
  evta::UioOptions options = uio_options();
  options.device = "mem:0xa0000000@udmabuf0";
  ProbeRun probe(open_uio_transport(options));
  check_runs_on(probe, 3);
}

TEST_CASE("Without cache maintenance, neither host nor accelerator sees the other's writes") {
  const UioBoard board;
  evta::UioOptions options = uio_options();
  options.configuration = nullptr;  // no coherence test, which runs the same program
  ProbeRun probe(open_uio_transport(options));
  CHECK(probe.transport().cache_line_bytes() == 64);
  REQUIRE(probe.start().ok());
  CHECK_FALSE((probe.wait().ok() && probe.take_results().ok() && probe.is_right()));
  REQUIRE(probe.transfer_inputs().ok());
  REQUIRE(probe.start().ok());
  REQUIRE(probe.wait().ok());
  CHECK_FALSE(probe.is_right());
  REQUIRE(probe.take_results().ok());
  CHECK(probe.is_right());
}

TEST_CASE("On a coherent port no cache is maintained") {
  UioBoard board({.is_coherent = true, .is_declared_coherent = true});
  ProbeRun probe(open_uio_transport());
  CHECK(probe.transport().cache_line_bytes() == 1);
  board.fail_synchronisation(true);
  check_runs_on(probe);
}

TEST_CASE("A port that is declared coherent but is not is rejected with the remedy") {
  const UioBoard board({.is_declared_coherent = true});
  const auto transport = evta::make_uio_transport(uio_options());
  REQUIRE_FALSE(transport);
  CHECK(transport.error().code() == Code::kIncompatible);
  CHECK(transport.error().message().find("do not see each other's writes: remove the property") !=
        std::string_view::npos);
}

TEST_CASE("Failed cache maintenance is a device fault") {
  UioBoard board;
  ProbeRun probe(open_uio_transport());
  board.fail_synchronisation(true);
  CHECK(probe.transfer_inputs().code() == Code::kDeviceFault);
  CHECK(probe.take_results().code() == Code::kDeviceFault);
  board.fail_synchronisation(false);
  check_runs_on(probe);
}

TEST_CASE("Lost and unrelated interrupts do not change results or delay the end of a run") {
  UioBoard board;
  ProbeRun probe(open_uio_transport());
  board.faults().next_run(RunFault::kLate);
  REQUIRE(probe.transfer_inputs().ok());
  REQUIRE(probe.start().ok());
  for (int i = 0; i < 3; ++i) board.raise_interrupt();
  CHECK(probe.wait().ok());
  board.lose_interrupts();
  const auto start = SteadyClock::now();
  check_runs_on(probe, 20);
  CHECK(SteadyClock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("The end of the previous run is not mistaken for the end of the current one without XRT") {
  UioBoard board;
  ProbeRun probe(open_uio_transport());
  check_runs_on(probe);
  for (int i = 0; i < 5; ++i) {
    board.faults().next_run(RunFault::kLate);
    const auto start = SteadyClock::now();
    check_runs_on(probe);
    CHECK(SteadyClock::now() - start >= std::chrono::milliseconds(20));
  }
}

TEST_CASE("An interruption before or during a wait ends the wait, and the run continues without XRT") {
  UioBoard board;
  ProbeRun probe(open_uio_transport());
  board.faults().next_run(RunFault::kLate);
  REQUIRE(probe.transfer_inputs().ok());
  REQUIRE(probe.start().ok());
  probe.transport().interrupt();
  CHECK(probe.wait().code() == Code::kCancelled);
  CHECK(probe.wait().ok());
  REQUIRE(probe.take_results().ok());
  CHECK(probe.is_right());
}

TEST_CASE("A hanging run keeps its memory and its accelerator, also after its transport has ended") {
  UioBoard board;
  {
    ProbeRun probe(open_uio_transport());
    board.faults().next_run(RunFault::kHang);
    REQUIRE(probe.transfer_inputs().ok());
    REQUIRE(probe.start().ok());
    CHECK(probe.wait(std::chrono::milliseconds(20)).code() == Code::kDeadlineExceeded);
    CHECK(probe.transport().reset().code() == Code::kDeviceFault);
  }
  const auto again = evta::make_uio_transport(uio_options());
  REQUIRE_FALSE(again);
  CHECK(again.error().code() == Code::kUnavailable);
  CHECK(again.error().message().find("in use by this process") != std::string_view::npos);
  board.stages().end_hang();
}

TEST_CASE("Memory of any requested size is allocated in the pool and reused") {
  const UioBoard board({.pool_bytes = 1 << 20});
  const auto transport = open_uio_transport();
  for (int round = 0; round < 3; ++round) {
    std::vector<std::shared_ptr<evta::DeviceBuffer>> buffers;
    for (const uint64_t size : {0, 1, 63, 4095, 4096, 4097, 100000})
      for (const uint64_t offset : {0, 16, 4080}) {
        const auto buffer = transport->allocate(size, offset);
        REQUIRE(buffer);
        CHECK((*buffer)->bytes().size() == size);
        CHECK((*buffer)->address() % evta::kPageBytes == offset);
        CHECK((*buffer)->address() >= 0x70000000);
        CHECK((*buffer)->address() + size <= 0x70000000 + (1 << 20));
        for (const auto& other : buffers)
          CHECK(((*buffer)->address() + size <= other->address() ||
                 other->address() + other->bytes().size() <= (*buffer)->address()));
        std::ranges::fill((*buffer)->bytes(), std::byte{1});
        CHECK((*buffer)->to_device(0, size).ok());
        buffers.push_back(*buffer);
      }
  }
}

TEST_CASE("An allocation larger than what is free in the pool is rejected") {
  const UioBoard board({.pool_bytes = 1 << 20});
  const auto transport = open_uio_transport();
  CHECK(transport->allocate((1 << 20) + 1, 0).error().code() == Code::kOutOfMemory);
  CHECK(transport->allocate(UINT64_MAX, 16).error().code() == Code::kOutOfMemory);
  const auto half = transport->allocate(1 << 19, 0);
  REQUIRE(half);
  CHECK(transport->allocate((1 << 19) + 1, 0).error().code() == Code::kOutOfMemory);
  CHECK(transport->allocate(1 << 19, 0));
}

TEST_CASE("In a fragmented pool, an allocation larger than every gap is rejected, and the gaps are used") {
  constexpr uint64_t kPiece = 64 << 10, kPieces = 16;
  const UioBoard board({.pool_bytes = kPieces * kPiece});
  const auto transport = open_uio_transport();
  std::vector<std::shared_ptr<evta::DeviceBuffer>> pieces;
  for (uint64_t i = 0; i < kPieces; ++i) {
    const auto piece = transport->allocate(kPiece, 0);
    REQUIRE(piece);
    pieces.push_back(*piece);
  }
  for (uint64_t i = 0; i < kPieces; i += 2) pieces[i].reset();
  CHECK(transport->allocate(kPiece + 1, 0).error().code() == Code::kOutOfMemory);
  for (uint64_t i = 0; i < kPieces; i += 2) {
    const auto piece = transport->allocate(kPiece, 0);
    REQUIRE(piece);
    pieces[i] = *piece;
  }
  CHECK(transport->allocate(1, 0).error().code() == Code::kOutOfMemory);
}

TEST_CASE("Two accelerators of one process share a pool") {
  const UioBoard board({.accelerators = 2});
  const auto first = open_uio_unit(uio_options(0)), second = open_uio_unit(uio_options(1));
  for (int i = 0; i < 5; ++i) {
    CHECK(first->probe().ok());
    CHECK(second->probe().ok());
  }
}

}  // namespace
}  // namespace nestrt::boards
