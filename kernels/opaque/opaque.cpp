// SPDX-License-Identifier: Apache-2.0
// Opaque: a part of the network compiled by another compiler. It has rules but no kernel, because only the unit that
// its program targets can run it.
#include <limits>
#include <span>

#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

constexpr size_t kMaxResults = 64;

// The attribute `results` lists, for each output, its type, rank and dimensions.
Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  for (const TensorSpec& input : spec.inputs)
    if (!input.present || input.layout != Layout::kPlain || input.packing != Packing::kNone)
      return rule_error("an input is absent, or not plain");
  std::span<const int64_t> numbers = spec.as<ops::Opaque>()->results;
  std::vector<TensorSpec> results;
  while (numbers.size() >= 2 && results.size() < kMaxResults) {
    const int64_t type = numbers[0], rank = numbers[1];
    numbers = numbers.subspan(2);
    const bool exists =
        type >= 0 && type <= std::numeric_limits<uint8_t>::max() && !name(static_cast<DataType>(type)).empty();
    if (!exists || rank < 0 || static_cast<uint64_t>(rank) > numbers.size()) break;
    NESTRT_ASSIGN_OR_RETURN(const Shape shape, checked_shape(numbers.first(static_cast<size_t>(rank)), "results"));
    results.push_back(single_output(static_cast<DataType>(type), shape)[0]);
    numbers = numbers.subspan(static_cast<size_t>(rank));
    if (numbers.empty()) return results;
  }
  return rule_error("results must list 1 to 64 outputs, each with a valid type, its rank and its dimensions");
}

// Returns the maximum, because the compiler never evaluates this operator.
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
