// SPDX-License-Identifier: Apache-2.0
// Tests the properties of a session that its submissions contain.
#include "test/runtime/support/virtual_board.h"

namespace nestrt::test {
namespace {

TEST_CASE("Every submission of an urgent session is marked urgent") {
  for (const bool urgent : {false, true}) {
    SessionOptions options;
    options.urgent = urgent;
    options.adaptation.drift = 0;
    VirtualBoard board(2000, 1000, options);
    for (int run = 1; run <= 2; ++run) {
      board.run();
      CHECK(board.npu->computed == run * VirtualBoard::kBranches);
      CHECK(board.npu->urgent == (urgent ? run * VirtualBoard::kBranches : 0));
    }
  }
}

}  // namespace
}  // namespace nestrt::test
