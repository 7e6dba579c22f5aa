// SPDX-License-Identifier: Apache-2.0
// Figures of a plan for a Page: the operator graph and the memory map.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "nestrt/driver/plan_tables.h"
#include "tools/support/page/page.h"

namespace nestrt::tools {

// The group, which determines the colour, and the details of an operator.
struct OperatorMark {
  std::string group;
  PageDetails details;
};

// Adds every operator with its kind, output shape and type, and the dependencies between operators. Requires: a
// verified plan, here and below.
void add_operator_graph(Page& page, const std::string& title, const plan::Tables& tables,
                        const std::function<OperatorMark(uint32_t op)>& mark, const std::string& note = "");

// Returns the units that have a program for the operator, such as "cpu, evta".
std::string units_of(const plan::Tables& tables, uint32_t op);

// Returns what the vendor's compiler reported about where a program's work runs, such as "97 % of its work on k230; on
// the CPU: conv1 (kernel too large)"; empty if it reported nothing.
std::string placement_of(const plan::Program& program);
// Returns the operator and the placement of each vendor's program with a report.
PageDetails vendor_placements(const plan::Tables& tables);

// Returns the size of the accelerator programs in bytes, including their weight copies. Each buffer counts once.
uint64_t program_bytes(const plan::Tables& tables);

// Adds the lifetimes and positions of the arena's buffers, from the memory plan for any schedule if it exists.
void add_memory_map(Page& page, const plan::Tables& tables);

}  // namespace nestrt::tools
