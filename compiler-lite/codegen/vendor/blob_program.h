// What a vendor's compiler has made, as a program of the plan.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/parts/cutting/offload_cost.h"

namespace nestrt::compiler {

// Without ports. What it takes is what the vendor states of work of this size; where he states nothing, a guess on the
// safe side.
UnitProgram blob_program(std::shared_ptr<const Bytes> blob, const std::optional<OffloadCost>& cost,
                         const RegionSize& size);

// Its ports are whole tensors, those that are read first, at addresses one after the other (drivers/vendor/program.h).
void set_ports(const Graph& graph, const std::vector<ValueId>& inputs, const std::vector<ValueId>& outputs,
               UnitProgram& program);

}  // namespace nestrt::compiler
