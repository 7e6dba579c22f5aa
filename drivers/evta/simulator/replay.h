// SPDX-License-Identifier: Apache-2.0
// Runs test vectors.
#pragma once

#include "drivers/evta/checker/program_checker.h"
#include "drivers/evta/program.h"
#include "drivers/evta/simulator/dram.h"
#include "drivers/evta/simulator/vector_file.h"
#include "nestrt/status.h"
#include "runtime/core/function_ref.h"

namespace nestrt::evta {

// Returns the program of one case. It refers to the case and to `ranges`, which this function fills.
Program program_of(const VectorCase& vector, const Configuration& configuration, std::vector<MemoryRange>* ranges);

// Runs a simulator on the case's inputs. Errors: errors of `run`, and kDeviceFault, which names the first output byte
// that differs from the expected one.
Status run_and_compare(const VectorCase& vector, FunctionRef<Status(const Dram&)> run);

// Checks a case, runs it in the functional simulator and compares the outputs. `before`: known contents of the on-chip
// memories. Errors: errors of the checker and of run_and_compare().
Status replay(const VectorCase& vector, const Configuration& configuration, OnChip before = OnChip::kUnknown);

}  // namespace nestrt::evta
