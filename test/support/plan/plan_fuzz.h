// SPDX-License-Identifier: Apache-2.0
// Fuzzing of plans: mutated tables with valid digests, so that only the verifier and the operators' rules protect the
// kernels. Accepted mutants run twice (run_twice() of guarded_run.h), and operators that can be split by channels also
// run in parts.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "nestrt/driver/unit.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::test {

struct FuzzResult {
  int refused = 0;  // rejected by Plan::from_memory
  int ran = 0;
  int divided = 0;   // operators that ran in parts
  int overran = 0;   // wrote outside the caller's memory, or a part outside its operands
  int unsteady = 0;  // depended on previous contents of memory
};

// Runs `mutants` mutants in total on one host thread. They are made from the samples in turn. The same seed gives the
// same mutants.
FuzzResult fuzz_plans(std::span<const PlanFile> samples, int mutants, uint32_t seed);
// Same, but runs on `units`, concurrently as far as branches and channels allow. All operators have the same cost.
FuzzResult fuzz_plans_on(const UnitList& units, std::span<const PlanFile> samples, int mutants, uint32_t seed);

// --- Parts of fuzz_plans() ---

// Returns a value near a limit of integer types.
uint64_t awkward(std::mt19937& random);
// Changes one to four values.
void mutate(std::span<std::byte> bytes, std::mt19937& random);

// Limits for running a mutant. Larger mutants would only test the allocator or run too long.
struct RunLimits {
  uint64_t buffer_bytes = 1 << 24;  // size of the arena or a buffer
  int64_t elements = 1 << 20;       // elements of an input or an output
};
bool is_within(const RunLimits& limits, const Plan& plan);

// Runs the first block of every operator that can be split, and then the rest, with guards around every buffer. Adds to
// `divided` and `overran`.
void run_parts(const std::shared_ptr<const Plan>& plan, Unit& cpu, const RunLimits& limits, FuzzResult* result);

}  // namespace nestrt::test
