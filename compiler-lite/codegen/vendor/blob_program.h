// SPDX-License-Identifier: Apache-2.0
// Wraps the output of a vendor's compiler as a program of the plan.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/parts/cutting/offload_cost.h"

namespace nestrt::compiler {

// Returns a program without ports. Its time is the vendor's declared cost for a region of this size, or a pessimistic
// guess if `cost` is not set.
UnitProgram blob_program(std::shared_ptr<const Bytes> blob, const std::optional<OffloadCost>& cost,
                         const RegionSize& size);

// Adds whole tensors as ports, inputs first, at consecutive addresses (drivers/vendor/program.h).
void set_ports(const Graph& graph, const std::vector<ValueId>& inputs, const std::vector<ValueId>& outputs,
               UnitProgram& program);

}  // namespace nestrt::compiler
