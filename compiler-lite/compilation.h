// SPDX-License-Identifier: Apache-2.0
// Compilation: the state of one compilation. Each stage (compiler-lite/stages.h) reads the results of earlier stages
// and stores its own; the last stage frees everything except the file.
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
  const CompileOptions& options;  // includes the target's backends
  Backends backends;              // from the options, or the host's default backend

  Graph graph = {};                           // created by import and changed by each stage up to memory
  Placement placement = {};                   // from placement
  std::vector<BranchPrograms> programs = {};  // from codegen; by branch of the placement
  AssembledPlan plan = {};                    // from memory
  std::optional<PlanBytes> bytes = {};        // from emit
};

}  // namespace nestrt::compiler
