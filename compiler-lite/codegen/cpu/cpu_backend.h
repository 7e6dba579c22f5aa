// SPDX-License-Identifier: Apache-2.0
// CpuBackend: the backend of the CPU, which is the host of every target. It selects kernels and packs weights for the
// target's instruction sets, independently of the machine that compiles.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "compiler-lite/codegen/backend.h"

namespace nestrt::compiler {

// Kernels that a plan names in addition to the best one. Sessions choose among them by measurement.
enum class KernelAlternatives : uint8_t {
  kNone,
  kSameBits,  // for integer operators, whose kernels all give the same results
  kAll,       // also for f32 operators, whose last bits may differ; sessions use these only on request
};

// `sets`: the instruction sets for which plans contain kernels; at least one.
std::shared_ptr<Backend> make_cpu_backend(std::vector<InstructionSet> sets,
                                          KernelAlternatives alternatives = KernelAlternatives::kSameBits);

}  // namespace nestrt::compiler
