// SPDX-License-Identifier: Apache-2.0
// The values between a part of a model and the rest, as manifests describe them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler-lite/export/export.h"
#include "compiler-lite/graph/graph.h"
#include "nestrt/data_type.h"
#include "nestrt/driver/plan_tables.h"
#include "nestrt/shape.h"
#include "tools/support/text/json.h"

namespace nestrt::compiler {

struct Border {
  std::string name;
  DataType type = DataType::kF32;
  Shape shape;
  std::optional<plan::Quantization> quantization;  // as scales and zero points
};

// Describes values under the names that exported models use.
std::vector<Border> borders_of(const Graph& graph, const ValueNames& names, const std::vector<ValueId>& ids);

// Returns {name, type, shape}; for quantized integers also scales, zero_points and, if there are several scales, axis.
tools::Json json_of(const Border& border);
tools::Json json_of(const std::vector<Border>& borders);

}  // namespace nestrt::compiler
