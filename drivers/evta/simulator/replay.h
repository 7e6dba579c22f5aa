// Runs test vectors.
#pragma once

#include "drivers/evta/program.h"
#include "drivers/evta/simulator/vector_file.h"

namespace nestrt::evta {

// The program of one case; what it refers to is the case's and `ranges`, which it fills.
Program program_of(const VectorCase& vector, const Configuration& configuration, std::vector<MemoryRange>* ranges);

// Checks a case and runs it in the plain simulator, strictly, and in the functional one. Errors: theirs, and
// kDeviceFault with the first byte that differs from the expected ones.
Status replay(const VectorCase& vector, const Configuration& configuration);

}  // namespace nestrt::evta
