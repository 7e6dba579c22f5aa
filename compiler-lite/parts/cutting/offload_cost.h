// SPDX-License-Identifier: Apache-2.0
// Decides whether offloading a region of a model pays off according to a vendor's capability file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/parts/cutting/capability.h"

namespace nestrt::compiler {

struct RegionSize {
  size_t operators = 0;
  uint64_t macs = 0;
  uint64_t border_bytes = 0;  // bytes that cross its borders
};

uint64_t macs_of(const Graph& graph, std::span<const std::unique_ptr<Node>> nodes);
// Returns the region's size, with tensors in plain layout.
uint64_t plain_bytes(const Value& value);

// Returns the vendor's time for the region, including transfers.
double offload_us(const OffloadCost& cost, const RegionSize& size);

// Returns why the region is too small to offload; empty if it is large enough.
std::string too_small(const Capability& capability, const RegionSize& size);

}  // namespace nestrt::compiler
