// Fuzzing of plans: mutated tables whose digests match, so that what stands between them and the kernels is the
// verifier and the operators' rules. Mutants that pass are run twice (run_twice() of guarded_run.h); once more,
// operators that can be divided by channels in parts.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "nestrt/driver/unit.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::test {

struct FuzzResult {
  int refused = 0;  // by Plan::from_memory
  int ran = 0;
  int divided = 0;   // operators that ran in parts
  int overran = 0;   // wrote outside the caller's memory, or a part outside its operands'
  int unsteady = 0;  // depended on what memory held before
};

// `mutants` in all, made of the samples in turn, on one thread of the host; the same seed gives the same.
FuzzResult fuzz_plans(std::span<const PlanFile> samples, int mutants, uint32_t seed);
// The same on those units, side by side as far as branches and channels let them: all operators cost the same.
FuzzResult fuzz_plans_on(const UnitList& units, std::span<const PlanFile> samples, int mutants, uint32_t seed);

// --- its parts ---

// A value that arithmetic goes wrong with.
uint64_t awkward(std::mt19937& random);
// Changes one to four places.
void mutate(std::span<std::byte> bytes, std::mt19937& random);

// Mutants that ask for more are not run: they only test the allocator, or patience.
struct RunLimits {
  uint64_t buffer_bytes = 1 << 24;  // of the arena, or of a buffer
  int64_t elements = 1 << 20;       // of an input or an output
};
bool is_within(const RunLimits& limits, const Plan& plan);

// Runs of the first block of every operator that can be divided, and of the others, every buffer with guards of its
// own: adds to `divided` and `overran`.
void run_parts(const std::shared_ptr<const Plan>& plan, Unit& cpu, const RunLimits& limits, FuzzResult* result);

}  // namespace nestrt::test
