// SPDX-License-Identifier: Apache-2.0
// Assembles the tables of a plan from a graph, its placement and its programs. Makes no decisions.
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

// The programs of one branch; the host's come first.
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
    uint64_t data_offset = 0;  // offset of the buffer
  };
  plan::Tables tables;  // without memory plans
  std::vector<Constant> constants;
  uint64_t data_bytes = 0;  // size of all constants in the data area of the file
};

// Requires the graph's `storage`, and `programs` in the order of the placement's branches.
AssembledPlan assemble(const Graph& graph, const Storage& storage, const Placement& placement,
                       const std::vector<BranchPrograms>& programs, const Backends& backends);

}  // namespace nestrt::compiler
