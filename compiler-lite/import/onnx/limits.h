// What a model may ask of the importer.
#pragma once

#include <algorithm>
#include <cstdint>

#include "compiler-lite/graph/folding_budget.h"
#include "nestrt/status.h"

namespace nestrt::compiler {

struct ImportLimits {
  int64_t file_bytes = (int64_t{1} << 31) - 1;    // protobuf's own limit
  int64_t nodes = 100'000;                        // subgraphs included; fewer where the file is small (max_nodes())
  int64_t message_bytes = 80 << 20;               // in memory, for what protobuf makes of the file, beside its bytes
  int64_t tensor_bytes = int64_t{1} << 31;        // for one tensor, constant or not
  int64_t constant_bytes = int64_t{4} << 30;      // for all constants of the file
  int64_t folded_bytes = FoldingBudget::kBytes;   // for all computed ones, beyond the bytes of the file's
  int64_t folding_steps = FoldingBudget::kSteps;  // spent on those, beyond what the file's bytes add

  // Of a file of so many bytes: a node takes some kilobytes before it is written to a plan.
  int64_t max_nodes(int64_t bytes) const { return std::min(nodes, int64_t{50'000} + bytes / 100); }
  // How many operators and constants those may become, as a node is translated into up to a dozen: each takes up to
  // 60 microseconds until it is in a plan.
  int64_t max_operators(int64_t bytes) const { return std::min(nodes, int64_t{40'000} + bytes / 800); }
};

// What a model with more nodes, or more operators, than those is refused with.
Status too_many_nodes(int64_t most);
Status too_many_operators(int64_t most);

}  // namespace nestrt::compiler
