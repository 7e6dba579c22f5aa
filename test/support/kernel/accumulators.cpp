// SPDX-License-Identifier: Apache-2.0
#include "test/support/kernel/accumulators.h"

#include "nestrt/driver/plan_tables.h"

namespace nestrt::test {

uint64_t bytes_of_accumulators(const Plan& plan) {
  uint64_t bytes = 0;
  for (const plan::Branch& branch : plan.tables().branches)
    for (const plan::Program& program : branch.programs) bytes += program.channels.all() ? widened_bytes(program) : 0;
  return bytes;
}

}  // namespace nestrt::test
