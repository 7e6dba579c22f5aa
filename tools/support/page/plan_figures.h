// Figures of a plan for a Page: its operators as a graph, and where its tensors lie in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "nestrt/driver/plan_tables.h"
#include "tools/support/page/page.h"

namespace nestrt::tools {

// What a figure says of an operator: the colour that it has in common with others, and what is shown beside.
struct OperatorMark {
  std::string group;
  PageDetails details;
};

// Every operator with its kind, output's shape and type, and which read what others have computed. Requires: a verified
// plan, here and below.
void add_operator_graph(Page& page, const std::string& title, const plan::Tables& tables,
                        const std::function<OperatorMark(uint32_t op)>& mark, const std::string& note = "");

// The units that have a program for it: "cpu, evta".
std::string units_of(const plan::Tables& tables, uint32_t op);

// Of what other units than the CPU execute, with their own copies of weights: each buffer once.
uint64_t program_bytes(const plan::Tables& tables);

// The buffers of the arena, when they live and where they lie, by the plan for any order where there is one.
void add_memory_map(Page& page, const plan::Tables& tables);

}  // namespace nestrt::tools
