// The backend of the CPU, every target's host: kernels chosen and weights packed for the target's instruction sets,
// whichever the machine has that compiles.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "compiler-lite/codegen/backend.h"

namespace nestrt::compiler {

// Kernels that a plan names beside the best one, among which sessions choose by what they measure.
enum class KernelAlternatives : uint8_t {
  kNone,
  kSameBits,  // of operators that compute with integers, whose kernels all give the same results
  kAll,       // of those in f32 too, whose last bits may differ: sessions use these only where they are asked to
};

// `sets`: those that plans have kernels for; at least one.
std::shared_ptr<Backend> make_cpu_backend(std::vector<InstructionSet> sets,
                                          KernelAlternatives alternatives = KernelAlternatives::kSameBits);

}  // namespace nestrt::compiler
