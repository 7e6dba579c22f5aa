// SPDX-License-Identifier: Apache-2.0
#include "tools/nestrt/figures/memory_traffic.h"

#include "drivers/evta/isa/configuration.h"
#include "drivers/evta/isa/traffic.h"
#include "nestrt/driver/plan_tables.h"
#include "runtime/plan/queries/channels.h"
#include "runtime/plan/queries/views.h"

namespace nestrt::command {
namespace {

double bytes_of(const plan::Tables& tables, int32_t index) {
  if (index < 0) return 0;
  const plan::Tensor& tensor = tables.tensors[static_cast<uint32_t>(index)];
  return static_cast<double>(storage_bytes(tensor.type, tensor.shape, tensor.layout));
}

bool is_constant(const plan::Tables& tables, int32_t tensor) {
  return tensor >= 0 &&
         tables.buffers[tables.tensors[static_cast<uint32_t>(tensor)].buffer].kind == plan::BufferKind::kConstant;
}

Result<double> stream_bytes(const Plan& plan, const plan::Program& program) {
  const evta::Configuration* const configuration = evta::find_configuration(program.configuration);
  if (configuration == nullptr) return 0.0;
  const std::span<const std::byte> stream = plan.constant(program.segments[0]);
  const auto* words = reinterpret_cast<const evta::InstructionWord*>(stream.data());
  NESTRT_ASSIGN_OR_RETURN(const uint64_t bytes,
                          evta::memory_traffic(*configuration, {words, stream.size() / sizeof(evta::InstructionWord)}));
  // The driver reads the bytes of accumulators and writes the same amount.
  return static_cast<double>(bytes + 2 * widened_bytes(program));
}

}  // namespace

Result<MemoryTraffic> MemoryTraffic::of(const Plan& plan) {
  MemoryTraffic traffic;
  const plan::Tables& tables = plan.tables();
  traffic.plan_ = &plan;
  for (uint32_t branch = 0; branch < tables.branches.size(); ++branch) {
    Operands& operands = traffic.kernels_.emplace_back();
    for (const uint32_t index : tables.branches[branch].operators) {
      const plan::Operator& op = tables.operators[index];
      if (is_view(tables, op)) continue;
      for (const int32_t input : op.inputs)
        (is_constant(tables, input) ? operands.divided : operands.read) += bytes_of(tables, input);
      for (const int32_t output : op.outputs) operands.divided += bytes_of(tables, output);
    }
    const auto& programs = tables.branches[branch].programs;
    for (uint32_t program = 0; program < programs.size(); ++program) {
      if (programs[program].kind != plan::ProgramKind::kInstructions) continue;
      NESTRT_ASSIGN_OR_RETURN(const double bytes, stream_bytes(plan, programs[program]));
      traffic.streams_[{branch, program}] = bytes;
    }
  }
  return traffic;
}

double MemoryTraffic::bytes(uint32_t branch, uint32_t program, ChannelRange channels) const {
  if (const auto stream = streams_.find({branch, program}); stream != streams_.end()) return stream->second;
  const Operands& operands = kernels_[branch];
  if (channels.all()) return operands.read + operands.divided;
  const plan::Tables& tables = plan_->tables();
  const plan::Operator& op = tables.operators[tables.branches[branch].operators[0]];
  const Shape& shape = tables.tensors[static_cast<uint32_t>(op.outputs[0])].shape;
  return operands.read + operands.divided * share_of(shape, channels);
}

}  // namespace nestrt::command
