// A season: a board is opened, callers load plans and run sessions on it while plans are swapped and units fail, and
// everything is gone at its end.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

#include "test/soak/network.h"

namespace nestrt::test {

// What has happened in all seasons so far.
struct Tally {
  std::atomic<uint64_t> sessions{0}, swaps{0}, faults{0};
  std::atomic<uint64_t> runs{0}, late{0}, cancelled{0}, healed{0};
  std::atomic<uint64_t> failures{0};

  // Prints the first few, to standard error.
  void fail(const std::string& what);
};

// Two callers, each with so many sessions one after the other. `path`: of the plan that they load, in a folder that can
// be written.
void live_through_season(std::span<const Network> networks, const std::string& path, int sessions_of_caller,
                         uint32_t seed, Tally& tally);

}  // namespace nestrt::test
