// Opaque: what another compiler has compiled. It has rules and no kernel: only the unit of its program computes it.
#include <fmt/core.h>

#include <limits>
#include <span>

#include "kernels/common/rules.h"
#include "kernels/common/steps.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

constexpr size_t kMaxResults = 64;

// Takes type, rank and dimensions of a result from the front.
Result<TensorSpec> take_result(std::span<const int64_t>* numbers) {
  const std::span<const int64_t> all = *numbers;
  if (all.size() < 2 || all[1] < 0 || static_cast<uint64_t>(all[1]) > all.size() - 2)
    return rule_error("results do not have a type, a rank and so many dimensions each");
  const auto type = static_cast<DataType>(all[0]);
  if (all[0] < 0 || all[0] > std::numeric_limits<uint8_t>::max() || name(type).empty())
    return rule_error(fmt::format("results have type {}, which does not exist", all[0]));
  const auto rank = static_cast<size_t>(all[1]);
  TensorSpec result;
  result.type = type;
  NESTRT_ASSIGN_OR_RETURN(result.shape, checked_shape(all.subspan(2, rank), "results"));
  *numbers = all.subspan(2 + rank);
  return result;
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  for (const TensorSpec& input : spec.inputs)
    if (!input.present || input.layout != Layout::kPlain || input.packing != Packing::kNone)
      return rule_error("an input is absent, or not plain");
  std::span<const int64_t> numbers = spec.as<ops::Opaque>()->results;
  std::vector<TensorSpec> results;
  while (!numbers.empty()) {
    if (results.size() == kMaxResults) return rule_error(fmt::format("results are more than {}", kMaxResults));
    NESTRT_ASSIGN_OR_RETURN(results.emplace_back(), take_result(&numbers));
  }
  if (results.empty()) return rule_error("results are none");
  return results;
}

// Never evaluated.
int64_t no_steps(const OperatorSpec&) { return std::numeric_limits<int64_t>::max(); }

}  // namespace

template <>
const OperatorRules& rules<ops::Opaque>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kOpaque,
      .infer = infer,
      .macs = no_macs,
      .steps = no_steps,
      .division = kIndivisible,
      .kernels = std::span<const KernelVariant>(),
  };
  return kRules;
}

}  // namespace nestrt::kernels
