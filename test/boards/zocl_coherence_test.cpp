// SPDX-License-Identifier: Apache-2.0
// Tests boards whose accelerator shares DRAM with the host through a coherent or a non-coherent port.
#include <catch2/catch.hpp>
#include <cerrno>

#include "test/boards/emulation/evta_board.h"
#include "test/support/evta/evta_configuration.h"

namespace nestrt::boards {
namespace {

Board& fresh_board(bool coherent) {
  Board& board = Board::instance();
  board.faults().forget();
  board.reset_card();
  board.set_configuration(evta::test::stock_configuration());
  board.set_coherent(coherent);
  return board;
}

Result<std::unique_ptr<evta::Transport>> open_instance(int instance = 0) {
  evta::XrtOptions options = options_for(kernel_xclbin());
  options.configuration = &evta::test::stock_configuration();
  options.instance = instance;
  return evta::make_xrt_transport(options);
}

TEST_CASE("A transport uses the result of its coherence test") {
  for (const bool coherent : {false, true}) {
    fresh_board(coherent);
    const auto transport = open_instance();
    REQUIRE(transport);
    CHECK((*transport)->cache_line_bytes() == (coherent ? 1 : 64));
  }
  fresh_board(false);
}

TEST_CASE("Nothing is synchronised on a coherent port") {
  Board& board = fresh_board(true);
  const auto transport = open_instance();
  REQUIRE(transport);
  const auto buffer = (*transport)->allocate(4096, 0);
  REQUIRE(buffer);
  board.faults().fail(Call::kSync, EIO, 100);
  CHECK((*buffer)->to_device(0, 4096).ok());
  CHECK((*buffer)->from_device(0, 4096).ok());
  fresh_board(false);
}

TEST_CASE("A board that fails during the coherence test opens as not coherent") {
  fresh_board(true).faults().next_run(RunFault::kError);
  const auto transport = open_instance();
  REQUIRE(transport);
  CHECK((*transport)->cache_line_bytes() == 64);
  fresh_board(false);
}

TEST_CASE("Two accelerators of a board reach the same memory") {
  fresh_board(true);
  const auto first = open_instance(0), second = open_instance(1);
  REQUIRE(first);
  REQUIRE(second);
  CHECK_FALSE((*first)->memory_name().empty());
  CHECK((*first)->memory_name() == (*second)->memory_name());
  fresh_board(false);
}

}  // namespace
}  // namespace nestrt::boards
