// SPDX-License-Identifier: Apache-2.0
// Cuts an imported model into parts. One unit computes each part without interruption.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler-lite/export/export.h"
#include "compiler-lite/graph/graph.h"
#include "compiler-lite/parts/cutting/model_operators.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

inline constexpr std::string_view kHostBackend = "CPU";

// A requested part.
struct PartSpec {
  std::string name;
  std::string backend{kHostBackend};
  std::vector<uint32_t> operators;  // positions in the model's operators
};

struct Part {
  std::string name;
  std::string backend;
  std::vector<uint32_t> operators;  // ascending
  ExportedPart exported;            // nodes and borders
};

// Every operator is in exactly one part. Parts are sorted in a valid order of computation.
struct Cut {
  std::vector<ModelOperator> operators;
  std::vector<Part> parts;
};

// Assigns operators that belong to no requested part to additional host parts ("rest0" and so on), as few as the order
// allows.
//
// A part is computed without interruption, so it must be convex: no path of operators leaves it and returns. Parts must
// not depend on each other in a cycle. Errors: kInvalidArgument (naming the operators) for a path that leaves and
// returns or for a cycle; also if an operator is in two parts, if names are duplicated, or if a part is empty.
Result<Cut> cut(const Graph& graph, std::vector<PartSpec> parts);

}  // namespace nestrt::compiler
