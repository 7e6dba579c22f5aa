// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernel/kernel.h"

namespace nestrt {

OperatorTable::OperatorTable(std::span<const OperatorRules* const> operators) {
  for (const OperatorRules* rules : operators) rows_[static_cast<size_t>(ops::Kind(rules->kind))] = rules;
}

const KernelVariant* OperatorTable::select(const OperatorSpec& spec, InstructionSet set, std::string_view name) const {
  const OperatorRules* const rules = find(spec.kind());
  if (rules == nullptr) return nullptr;
  const KernelVariant* best = nullptr;
  for (const KernelVariant& variant : std::span<const KernelVariant>(rules->kernels)) {
    if (!includes(set, variant.needs) || !variant.accepts(spec)) continue;
    if (!name.empty() && variant.name == name) return &variant;
    if (best == nullptr || variant.preference > best->preference) best = &variant;
  }
  return best;
}

const KernelVariant* OperatorTable::reference(const OperatorSpec& spec) const {
  const OperatorRules* const rules = find(spec.kind());
  if (rules == nullptr) return nullptr;
  const KernelVariant* plainest = nullptr;
  for (const KernelVariant& variant : rules->kernels.get()) {
    if (variant.needs != InstructionSet::kPortable || !variant.accepts(spec)) continue;
    if (plainest == nullptr || variant.preference < plainest->preference) plainest = &variant;
  }
  return plainest;
}

}  // namespace nestrt
