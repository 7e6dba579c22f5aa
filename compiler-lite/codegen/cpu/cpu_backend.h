// The backend of the CPU, every target's host: kernels chosen and weights packed for the target's instruction sets,
// whichever the machine has that compiles.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "compiler-lite/codegen/backend.h"

namespace nestrt::compiler {

// The second-level cache of most CPUs, where none is stated.
inline constexpr int64_t kUsualCacheBytes = int64_t{1} << 20;

// `sets`: those that plans have kernels for; at least one.
std::shared_ptr<Backend> make_cpu_backend(std::vector<InstructionSet> sets, int64_t cache_bytes = kUsualCacheBytes);

}  // namespace nestrt::compiler
