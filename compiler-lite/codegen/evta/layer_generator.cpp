#include "compiler-lite/codegen/evta/layer_generator.h"

#include <algorithm>

namespace nestrt::compiler::evta {

uint64_t CycleEstimate::total(int threads) const {
  const int64_t moving = loading + storing;
  const int64_t overlapped = std::max(computing + first_load + last_store, moving);
  return static_cast<uint64_t>(threads == 1 ? computing + moving : overlapped);
}

AddressMap layer_addresses(const LayerShape& shape, bool residual, uint64_t weight_bytes) {
  const auto output = static_cast<uint64_t>(shape.output_elements() * shape.block);
  AddressMap addresses;
  addresses.add(Buffer::kWeights, weight_bytes);
  addresses.add(Buffer::kInput, static_cast<uint64_t>(shape.input_elements() * shape.block));
  addresses.add(Buffer::kResidual, residual ? output : 0);
  addresses.add(Buffer::kOutput, output);
  return addresses;
}

}  // namespace nestrt::compiler::evta
