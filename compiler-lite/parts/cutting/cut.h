// SPDX-License-Identifier: Apache-2.0
// Cuts an imported model into parts, each of which one unit computes without interruption.
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

// Assigns operators that no part requests to additional host parts, "rest0" and so on, as few as the order allows.
//
// A part is computed without interruption, so it must be convex: no path of operators leaves it and returns. Parts must
// not depend on each other in a cycle. Errors: kInvalidArgument with the operators of a path that leaves and returns,
// or of a cycle; also if an operator is in two parts, for duplicate names, and for a part without operators.
Result<Cut> cut(const Graph& graph, std::vector<PartSpec> parts);

}  // namespace nestrt::compiler
