// Fuzzing of plans: mutated tables whose digests match, so that what stands between them and the kernels is the
// verifier and the operators' rules. Mutants that pass are run, on one thread, over memory with guards on both sides;
// once more, operators that can be divided by channels in parts.
#pragma once

#include <cstdint>
#include <span>

#include "test/support/plan_builder.h"

namespace nestrt::test {

struct FuzzResult {
  int refused = 0;  // by Plan::from_memory
  int ran = 0;
  int divided = 0;  // operators that ran in parts
  int overran = 0;  // wrote outside the caller's memory, or a part outside its operands'
};

// `mutants` in all, made of the samples in turn; the same seed gives the same.
FuzzResult fuzz_plans(std::span<const PlanFile> samples, int mutants, uint32_t seed);

}  // namespace nestrt::test
