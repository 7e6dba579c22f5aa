// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/vendor/blob_program.h"

#include <utility>

namespace nestrt::compiler {
namespace {

// One fifth of the multiplication rate that estimates assume for one core (runtime/costs/estimated_costs.h), and slow
// transfers: a pessimistic guess for costs that are neither declared nor measured.
constexpr OffloadCost kGuess{
    .macs_per_us = 500, .host_macs_per_us = 2500, .transfer_bytes_per_us = 500, .launch_us = 200};

}  // namespace

UnitProgram blob_program(std::shared_ptr<const Bytes> blob, const std::optional<OffloadCost>& cost,
                         const RegionSize& size) {
  UnitProgram program(plan::ProgramKind::kBlob);
  program.segments = {std::move(blob)};
  program.microseconds = offload_us(cost.value_or(kGuess), size);
  program.cost_origin = cost ? plan::CostOrigin::kModelled : plan::CostOrigin::kUnknown;
  return program;
}

void set_ports(const Graph& graph, const std::vector<ValueId>& inputs, const std::vector<ValueId>& outputs,
               UnitProgram& program) {
  uint64_t address = 0;
  const auto add = [&](const std::vector<ValueId>& values, plan::RangeAccess access) {
    for (const ValueId id : values) {
      const Value& value = graph.value(id);
      const auto size = static_cast<uint64_t>(storage_bytes(value.type, value.shape, value.layout));
      program.ranges.push_back({address, size, access, id, 0, plan::RangeLayout::kPlain});
      address += size;
    }
  };
  add(inputs, plan::RangeAccess::kRead);
  add(outputs, plan::RangeAccess::kWrite);
}

}  // namespace nestrt::compiler
