// Assembling: a graph, its placement and its programs, transcribed into the tables of a plan. Nothing is decided here.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/graph/graph.h"
#include "compiler-lite/memory/storage.h"
#include "compiler-lite/placement/branches.h"
#include "nestrt/driver/plan_tables.h"

namespace nestrt::compiler {

// The programs of one branch, the host's first.
struct BranchPrograms {
  struct Entry {
    const Backend* backend = nullptr;
    UnitProgram program;
  };
  std::vector<Entry> entries;
};

// Tables, and the constants that their buffers refer to.
struct AssembledPlan {
  struct Constant {
    uint32_t buffer = 0;
    std::shared_ptr<const Bytes> bytes;
    uint64_t data_offset = 0;  // the buffer's
  };
  plan::Tables tables;  // without memory plans
  std::vector<Constant> constants;
  uint64_t data_bytes = 0;  // that all of them take in the data area of the file
};

// Requires: `storage` is the graph's, `programs` are those of the placement's branches, in their order.
AssembledPlan assemble(const Graph& graph, const Storage& storage, const Placement& placement,
                       const std::vector<BranchPrograms>& programs, const Backends& backends);

}  // namespace nestrt::compiler
