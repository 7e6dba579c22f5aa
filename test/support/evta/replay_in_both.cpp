// SPDX-License-Identifier: Apache-2.0
#include "test/support/evta/replay_in_both.h"

#include "test/support/evta/plain_simulator.h"

namespace nestrt::evta {

Status replay_in_both(const VectorCase& vector, const Configuration& configuration, OnChip before) {
  NESTRT_RETURN_IF_ERROR(replay(vector, configuration, before));
  std::vector<MemoryRange> ranges;
  const Program program = program_of(vector, configuration, &ranges);
  const Strictness strictness = before == OnChip::kZero ? Strictness::kStrictFromReset : Strictness::kStrict;
  return run_and_compare(vector, [&](const Dram& dram) { return simulate_plain(program, dram, strictness); })
      .with_context("plain simulator");
}

}  // namespace nestrt::evta
