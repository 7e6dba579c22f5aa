// The backend of the CPU, every target's host: kernels chosen and weights packed for the target's instruction sets,
// whichever the machine has that compiles.
#pragma once

#include <memory>
#include <vector>

#include "compiler-lite/codegen/backend.h"

namespace nestrt::compiler {

// `sets`: those that plans have kernels for; at least one.
std::shared_ptr<Backend> make_cpu_backend(std::vector<InstructionSet> sets);

}  // namespace nestrt::compiler
