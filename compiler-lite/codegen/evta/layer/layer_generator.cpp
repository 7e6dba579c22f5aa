// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/layer/layer_generator.h"

#include <algorithm>

namespace nestrt::compiler::evta {

int64_t cycles_of(const isa::CycleProfile& profile, const isa::Configuration& configuration, isa::Memory memory,
                  const Moves& moves) {
  const isa::CycleProfile::Transfer& costs = profile.transfer(memory);
  const int latency =
      memory == isa::Memory::kOut ? profile.write_latency + profile.write_response : profile.read_latency;
  return moves.transfers * (profile.dispatch + costs.per_instruction) +
         moves.rows * (costs.before_row + latency + costs.after_row) +
         moves.elements * configuration.element_bytes(memory) / profile.bus_bytes * costs.cycles_per_beat;
}

int64_t cycles_of(const isa::CycleProfile& profile, const isa::CycleProfile::Unit& unit, int64_t instructions,
                  int64_t micro_ops) {
  return instructions * (profile.dispatch + unit.per_instruction) + micro_ops * unit.per_micro_op;
}

uint64_t CycleEstimate::total(int threads) const {
  const int64_t moving = loading + storing;
  const int64_t overlapped = std::max(computing + first_load + last_store, moving);
  return static_cast<uint64_t>(threads == 1 ? computing + moving : overlapped);
}

AddressMap layer_addresses(const LayerShape& shape, const LayerBuffers& buffers) {
  const auto output = static_cast<uint64_t>(shape.output_elements() * shape.block);
  AddressMap addresses;
  addresses.add(Buffer::kWeights, buffers.weight_bytes);
  addresses.add(Buffer::kInput, static_cast<uint64_t>(shape.input_elements() * shape.block));
  addresses.add(Buffer::kResidual, buffers.residual ? output : 0);
  addresses.add(Buffer::kOutput, output * static_cast<uint64_t>(buffers.result_bytes));
  return addresses;
}

}  // namespace nestrt::compiler::evta
