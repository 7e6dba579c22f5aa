// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/cutting/part_order.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace nestrt::compiler {
namespace {

std::string link_text(const std::vector<PartSpec>& parts, const std::vector<ModelOperator>& operators,
                      const Quotient& quotient, const Quotient::Link& link) {
  const auto place = [&](uint32_t op) {
    const uint32_t node = quotient.node_of(op);
    return quotient.is_part(node) ? fmt::format(" of part '{}'", parts[node].name) : std::string();
  };
  return fmt::format("'{}'{} feeds '{}'{}", operators[link.first].name, place(link.first), operators[link.second].name,
                     place(link.second));
}

// Explains why no order exists. The operators themselves have no cycles, so every cycle contains parts. A part that is
// not convex gives the best explanation.
Status explain(const std::vector<PartSpec>& parts, const std::vector<ModelOperator>& operators,
               const Quotient& quotient) {
  constexpr size_t kMaxTried = 64;
  std::vector<uint32_t> cycle = quotient.cycle();
  std::erase_if(cycle, [&](uint32_t node) { return !quotient.is_part(node); });
  cycle.resize(std::min(cycle.size(), kMaxTried));
  std::sort(cycle.begin(), cycle.end());
  for (const bool through_parts : {false, true}) {
    for (const uint32_t part : cycle) {
      const std::vector<Quotient::Link> way = quotient.way_back(part, through_parts);
      if (way.empty()) continue;
      std::string text;
      for (const Quotient::Link& link : way)
        text += (text.empty() ? "" : "; ") + link_text(parts, operators, quotient, link);
      const char* const what =
          through_parts ? "and other parts depend on each other" : "is not convex: a path leaves it and returns";
      return Status(Code::kInvalidArgument,
                    fmt::format("part '{}' {}: {}; add the operators in between to the part, or divide the part",
                                parts[part].name, what, text));
    }
  }
  return Status(Code::kInternal, "parts without an order and without a cycle");
}

// Returns the ranks of the quotient's nodes. An operator in no part ranks above the parts that it reads from, so
// operators of equal rank can be computed together.
std::vector<uint32_t> ranks(const Quotient& quotient, const std::vector<uint32_t>& order) {
  std::vector<uint32_t> rank(quotient.size(), 0);
  for (const uint32_t node : order) {
    for (const auto& [from, to] : quotient.links_from(node)) {
      const uint32_t reader = quotient.node_of(to);
      const bool begins = quotient.is_part(node) && !quotient.is_part(reader);
      rank[reader] = std::max(rank[reader], rank[node] + (begins ? 1 : 0));
    }
  }
  return rank;
}

}  // namespace

Result<std::vector<uint32_t>> part_of_operators(const std::vector<PartSpec>& parts,
                                                const std::vector<ModelOperator>& operators) {
  std::vector<uint32_t> part_of(operators.size(), kNoPart);
  std::set<std::string> names;
  for (uint32_t part = 0; part < parts.size(); ++part) {
    if (!names.insert(parts[part].name).second)
      return Status(Code::kInvalidArgument, fmt::format("duplicate part '{}'", parts[part].name));
    if (parts[part].operators.empty() && !operators.empty())
      return Status(Code::kInvalidArgument, fmt::format("part '{}' has no operators", parts[part].name));
    for (const uint32_t op : parts[part].operators) {
      if (part_of[op] == part) continue;
      if (part_of[op] != kNoPart)
        return Status(Code::kInvalidArgument,
                      fmt::format("operator '{}' is in part '{}' and in part '{}'", operators[op].name,
                                  parts[part_of[op]].name, parts[part].name));
      part_of[op] = part;
    }
  }
  return part_of;
}

Status add_rest(std::vector<PartSpec>& parts, const std::vector<ModelOperator>& operators, const OperatorLinks& links) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<uint32_t> part_of, part_of_operators(parts, operators));
  const Quotient quotient(part_of, parts.size(), links);
  const std::vector<uint32_t> order = quotient.order();
  if (!quotient.cycle().empty()) return explain(parts, operators, quotient);
  const std::vector<uint32_t> rank = ranks(quotient, order);
  std::set<std::string> names;
  for (const PartSpec& part : parts) names.insert(part.name);
  std::map<uint32_t, PartSpec> rest;  // by rank
  for (uint32_t op = 0; op < operators.size(); ++op)
    if (part_of[op] == kNoPart) rest[rank[quotient.node_of(op)]].operators.push_back(op);
  size_t number = 0;
  for (auto& [unused, part] : rest) {
    do part.name = fmt::format("rest{}", number++);
    while (names.count(part.name) != 0);
    parts.push_back(std::move(part));
  }
  return {};
}

std::vector<uint32_t> part_order(const std::vector<PartSpec>& parts, const std::vector<ModelOperator>& operators,
                                 const OperatorLinks& links) {
  std::vector<uint32_t> part_of(operators.size(), kNoPart);
  for (uint32_t part = 0; part < parts.size(); ++part)
    for (const uint32_t op : parts[part].operators) part_of[op] = part;
  return Quotient(part_of, parts.size(), links).order();
}

}  // namespace nestrt::compiler
