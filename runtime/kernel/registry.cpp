#include "nestrt/kernel.h"

namespace nestrt {

const OperatorRules* KernelRegistry::find(plan::Attributes kind) const {
  for (const OperatorRules& rules : operators_)
    if (rules.kind == kind) return &rules;
  return nullptr;
}

const KernelVariant* KernelRegistry::select(const OperatorSpec& spec, std::string_view name) const {
  const OperatorRules* rules = find(spec.kind());
  if (rules == nullptr) return nullptr;
  const KernelVariant* best = nullptr;
  for (const KernelVariant& variant : rules->kernels) {
    if (!variant.accepts(spec)) continue;
    if (!name.empty() && variant.name == name) return &variant;
    if (best == nullptr || variant.preference > best->preference) best = &variant;
  }
  return best;
}

}  // namespace nestrt
