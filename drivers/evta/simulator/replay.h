// Runs test vectors.
#pragma once

#include "drivers/evta/checker/program_checker.h"
#include "drivers/evta/program.h"
#include "drivers/evta/simulator/vector_file.h"

namespace nestrt::evta {

// The program of one case; what it refers to is the case's and `ranges`, which it fills.
Program program_of(const VectorCase& vector, const Configuration& configuration, std::vector<MemoryRange>* ranges);

// Checks a case and runs it in the plain simulator, strictly, and in the functional one. `before`: what is known of the
// on-chip memories. Errors: theirs, and kDeviceFault with the first byte that differs from the expected ones.
Status replay(const VectorCase& vector, const Configuration& configuration, OnChip before = OnChip::kUnknown);

}  // namespace nestrt::evta
