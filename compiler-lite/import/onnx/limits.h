// SPDX-License-Identifier: Apache-2.0
// Resource limits of the importer.
#pragma once

#include <algorithm>
#include <cstdint>

#include "compiler-lite/graph/folding_budget.h"
#include "nestrt/status.h"

namespace nestrt::compiler {

inline constexpr int kMaxComputedMegabytes = 4096;  // largest value of --computed-constants

struct ImportLimits {
  int64_t file_bytes = (int64_t{1} << 31) - 1;  // limit of protobuf
  int64_t nodes = 100'000;                      // including subgraphs; lower for small files, see max_nodes()
  int64_t message_bytes = 80 << 20;             // memory for protobuf's objects, in addition to the bytes of the file
  int64_t tensor_bytes = int64_t{1} << 31;      // for one tensor, constant or not
  int64_t constant_bytes = int64_t{4} << 30;    // for all constants of the file
  // limit of all computed constants, in addition to the bytes of the file's constants
  int64_t folded_bytes = FoldingBudget::kBytes;
  // limit of the steps to evaluate constants; the file size and --computed-constants raise it
  int64_t folding_steps = FoldingBudget::kSteps;

  // Returns the node limit for a file of `bytes` bytes. During compilation, each node needs several kilobytes.
  int64_t max_nodes(int64_t bytes) const { return std::min(nodes, int64_t{50'000} + bytes / 100); }
  // Returns the limit for operators and constants after import. A node becomes up to a dozen operators, each of which
  // takes up to 60 microseconds to compile.
  int64_t max_operators(int64_t bytes) const { return std::min(nodes, int64_t{40'000} + bytes / 800); }
};

// Return the errors for models that exceed these limits.
Status too_many_nodes(int64_t most);
Status too_many_operators(int64_t most);

}  // namespace nestrt::compiler
