// SPDX-License-Identifier: Apache-2.0
// A season opens a board, runs callers that load plans and run sessions while plans are swapped and units fail, and
// closes everything.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

#include "test/soak/network.h"

namespace nestrt::test {

// Totals of all seasons so far.
struct Tally {
  std::atomic<uint64_t> sessions{0}, swaps{0}, faults{0};
  std::atomic<uint64_t> runs{0}, late{0}, cancelled{0}, host_fallbacks{0};
  std::atomic<uint64_t> failures{0};

  // Prints the first few failures to standard error.
  void fail(const std::string& what);
};

// Runs two callers, each with `sessions_of_caller` sessions one after the other. `path`: the plan that they load, in a
// writable folder.
void run_season(std::span<const Network> networks, const std::string& path, int sessions_of_caller, uint32_t seed,
                Tally& tally);

}  // namespace nestrt::test
