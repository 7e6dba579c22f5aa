// Whether a region of a model is worth a part of its own, by a vendor's capability file.
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
  uint64_t border_bytes = 0;  // of what crosses its borders
};

uint64_t macs_of(const Graph& graph, std::span<const std::unique_ptr<Node>> nodes);
// In plain layout.
uint64_t plain_bytes(const Value& value);

// What the vendor takes for it, with handing over.
double offload_us(const OffloadCost& cost, const RegionSize& size);

// Why it is not worth a part; empty where it is.
std::string too_small(const Capability& capability, const RegionSize& size);

}  // namespace nestrt::compiler
