// Compilation: a model on its way to a plan. Every stage (compiler-lite/stages.h) reads what those before it have left
// here, and leaves something for those after it; the last gives up everything but the file.
#pragma once

#include <optional>
#include <vector>

#include "compiler-lite/compile.h"
#include "compiler-lite/emit/assemble.h"
#include "compiler-lite/emit/plan_bytes.h"
#include "compiler-lite/graph/graph.h"
#include "compiler-lite/memory/storage.h"
#include "compiler-lite/placement/branches.h"

namespace nestrt::compiler {

struct Compilation {
  std::string model;              // read by import only
  const CompileOptions& options;  // with the target's backends
  Backends backends;              // the options', or those of the host where they state none

  Graph graph = {};                           // import to memory: each stage changes it
  Placement placement = {};                   // placement
  std::vector<BranchPrograms> programs = {};  // codegen; by branch of the placement
  AssembledPlan plan = {};                    // memory
  std::optional<PlanBytes> bytes = {};        // emit
};

}  // namespace nestrt::compiler
