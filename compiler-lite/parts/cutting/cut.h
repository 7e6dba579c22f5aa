// Cutting an imported model into parts, each of which one unit computes in one go.
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

// What is asked for.
struct PartSpec {
  std::string name;
  std::string backend{kHostBackend};
  std::vector<uint32_t> operators;  // by position in the model's operators
};

struct Part {
  std::string name;
  std::string backend;
  std::vector<uint32_t> operators;  // ascending
  ExportedPart exported;            // its nodes and borders
};

// Every operator is in one part. The parts are in an order in which they can be computed one after the other.
struct Cut {
  std::vector<ModelOperator> operators;
  std::vector<Part> parts;
};

// What no part asks for becomes parts of their own for the host, "rest0" and so on, as few as the order allows.
//
// A part is computed in one go, so it must be convex: no path of operators leaves it and comes back. Nor may parts need
// each other. Errors: kInvalidArgument with the operators of such a path, where an operator is in two parts, where a
// name is given twice, and for a part without operators.
Result<Cut> cut(const Graph& graph, std::vector<PartSpec> parts);

}  // namespace nestrt::compiler
