// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/cutting/offload_cost.h"

#include <fmt/core.h>

#include "compiler-lite/graph/bound_operator.h"
#include "kernels/registry.h"

namespace nestrt::compiler {
namespace {

double transfer_us(const OffloadCost& cost, const RegionSize& size) {
  return cost.launch_us + static_cast<double>(size.border_bytes) / cost.transfer_bytes_per_us;
}

}  // namespace

uint64_t plain_bytes(const Value& value) {
  return static_cast<uint64_t>(storage_bytes(value.type, value.shape, Layout::kPlain));
}

uint64_t macs_of(const Graph& graph, std::span<const std::unique_ptr<Node>> nodes) {
  uint64_t macs = 0;
  for (const auto& node : nodes) {
    const BoundOperator bound(graph, *node);
    macs += kernels::operators().find(node->kind())->macs.get()(bound.spec());
  }
  return macs;
}

double offload_us(const OffloadCost& cost, const RegionSize& size) {
  return static_cast<double>(size.macs) / cost.macs_per_us + transfer_us(cost, size);
}

std::string too_small(const Capability& capability, const RegionSize& size) {
  if (size.operators < capability.min_operators)
    return fmt::format("its region has {} operators, fewer than {}", size.operators, capability.min_operators);
  if (size.macs < capability.min_macs)
    return fmt::format("its region has {} multiply-accumulates, fewer than {}", size.macs, capability.min_macs);
  if (!capability.cost) return "";
  const OffloadCost& cost = *capability.cost;
  const auto work = static_cast<double>(size.macs);
  const double saved = work / cost.host_macs_per_us - work / cost.macs_per_us, spent = transfer_us(cost, size);
  if (saved > spent) return "";
  return fmt::format("its region saves {:.1f} us and its transfers cost {:.1f} us", saved, spent);
}

}  // namespace nestrt::compiler
