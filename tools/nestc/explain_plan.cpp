// SPDX-License-Identifier: Apache-2.0
#include "tools/nestc/explain_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "runtime/plan/queries/channels.h"
#include "runtime/plan/queries/statistics.h"
#include "runtime/plan/queries/views.h"
#include "tools/support/page/plan_figures.h"
#include "tools/support/page/precisions.h"
#include "tools/support/text/printable.h"
#include "tools/support/text/table.h"

namespace nestrt::compiler {
namespace {

using tools::Json;

// The programs of a unit for an operator. A program's cost is shown at its first operator.
struct Programs {
  const plan::Program* whole = nullptr;
  uint32_t first = 0;  // index of the first operator of `whole`
  size_t num_partial = 0;
};

// By operator.
using Units = std::map<std::pair<std::string, std::string>, std::vector<Programs>>;

Units units_of(const plan::Tables& tables) {
  Units units;
  for (const plan::Branch& branch : tables.branches) {
    for (const plan::Program& program : branch.programs) {
      if (program.kind == plan::ProgramKind::kKernels) continue;
      std::vector<Programs>& programs = units[{program.unit, program.configuration}];
      programs.resize(tables.operators.size());
      for (const uint32_t op : branch.operators) {
        if (program.channels.all())
          programs[op].whole = &program, programs[op].first = branch.operators.front();
        else
          ++programs[op].num_partial;
      }
    }
  }
  return units;
}

// Returns the cost of the program that starts with the operator, or null.
const plan::Cost* cost_of(uint32_t op, const Programs& programs) {
  const bool begins = programs.whole != nullptr && programs.first == op;
  return !begins || programs.whole->costs.empty() ? nullptr : &programs.whole->costs[0];
}

bool is_opaque(const plan::Operator& op) { return op.kind() == ops::Kind::kOpaque; }

// Returns the only unit that can compute an opaque operator.
std::string only_unit_of(const plan::Tables& tables, uint32_t op) {
  return "only " + tools::printable(tools::units_of(tables, op)) + " computes it";
}

std::string remark_on(const plan::Tables& tables, uint32_t index, const Programs& programs) {
  const plan::Operator& op = tables.operators[index];
  const std::string placement = programs.whole == nullptr ? "" : tools::placement_of(*programs.whole);
  if (programs.whole != nullptr && is_opaque(op))
    return fmt::format("has a program; no other unit does{}{}", placement.empty() ? "" : ". ", placement);
  if (programs.whole != nullptr)
    return programs.first == index ? placement : fmt::format("in the program that begins with #{}", programs.first);
  if (is_opaque(op)) return only_unit_of(tables, index);
  return is_view(tables, op) ? "computes nothing: a view" : "the plan has no program for it";
}

// The part of a plan that a unit computes, excluding views.
struct Coverage {
  size_t on_unit = 0, computing = 0, opaque = 0;
  uint64_t macs = 0, all_macs = 0;
  double microseconds = 0;
  bool has_guesses = false;

  void add(const plan::Tables& tables, uint32_t index, const Programs& programs) {
    const plan::Operator& op = tables.operators[index];
    const bool computes = !is_view(tables, op);
    const uint64_t work = statistics(tables, op).macs;
    computing += computes;
    opaque += is_opaque(op);
    all_macs += work;
    if (programs.whole == nullptr) return;
    on_unit += computes, macs += work;
    const plan::Cost* const cost = cost_of(index, programs);
    if (cost == nullptr) return;
    microseconds += cost->microseconds;
    has_guesses |= cost->origin == plan::CostOrigin::kUnknown;
  }

  // Returns the share of the multiplications. A vendor's compiler does not report the multiplications of its part.
  std::string multiplications() const {
    const double percent = all_macs == 0 ? 0 : 100 * static_cast<double>(macs) / static_cast<double>(all_macs);
    if (opaque == 0) return fmt::format("{:.1f}% of the multiplications", percent);
    return fmt::format(
        "{:.1f}% of the multiplications, except those of {} part{} that a vendor compiled, which the plan "
        "does not contain",
        percent, opaque, opaque == 1 ? "" : "s");
  }

  std::string time() const {
    if (microseconds <= 0) return "";
    return fmt::format("; {:.2f} ms{}", microseconds / 1e3,
                       has_guesses ? ", an estimate until nestrt profile measures it" : "");
  }
};

std::string format_macs(const plan::Tables& tables, const plan::Operator& op) {
  if (is_opaque(op)) return "?";
  const uint64_t macs = statistics(tables, op).macs;
  return macs == 0 ? "" : fmt::format("{:.2f}", static_cast<double>(macs) / 1e6);
}

tools::Table table_of(const plan::Tables& tables, const std::vector<Programs>& programs) {
  using enum tools::Align;
  tools::Table table(
      {{"#", kRight}, {"operator"}, {"kind"}, {"MMAC", kRight}, {"ms", kRight}, {"parts", kRight}, {"remark"}});
  for (uint32_t i = 0; i < tables.operators.size(); ++i) {
    const plan::Operator& op = tables.operators[i];
    const plan::Cost* const cost = cost_of(i, programs[i]);
    table.add_row({std::to_string(i), tools::printable(op.name), std::string(ops::name(op.kind())),
                   format_macs(tables, op), cost == nullptr ? "" : fmt::format("{:.3f}", cost->microseconds / 1e3),
                   programs[i].num_partial > 0 ? std::to_string(programs[i].num_partial) : "",
                   remark_on(tables, i, programs[i])});
  }
  return table;
}

void set_placement(const plan::Program& program, Json& entry) {
  if (!program.vendor || program.vendor->npu_share < 0) return;
  entry.set("npu_share", program.vendor->npu_share);
  if (!program.vendor->on_cpu.empty()) entry.set("on_cpu", program.vendor->on_cpu);
}

Json operators_of(const plan::Tables& tables, const std::vector<Programs>& programs) {
  Json operators = Json::array();
  for (uint32_t i = 0; i < tables.operators.size(); ++i) {
    const plan::Operator& op = tables.operators[i];
    Json entry{{"name", op.name}, {"kind", ops::name(op.kind())}};
    if (!is_opaque(op)) entry.set("macs", statistics(tables, op).macs);
    const plan::Cost* const cost = cost_of(i, programs[i]);
    if (cost != nullptr) {
      entry.set("microseconds", cost->microseconds);
      entry.set("cost_origin", plan::name(cost->origin));
    }
    if (programs[i].whole != nullptr && programs[i].first != i) entry.set("in_program_of", programs[i].first);
    if (programs[i].whole != nullptr && programs[i].first == i) set_placement(*programs[i].whole, entry);
    if (programs[i].whole == nullptr) entry.set("reason", remark_on(tables, i, programs[i]));
    operators.push_back(std::move(entry));
  }
  return operators;
}

Json explain(const plan::Tables& tables, const std::string& unit, const std::vector<Programs>& programs,
             tools::Page& page) {
  const tools::Table table = table_of(tables, programs);
  Coverage coverage;
  for (uint32_t i = 0; i < tables.operators.size(); ++i) coverage.add(tables, i, programs[i]);
  fmt::print("{}\n{}: {} of {} operators that compute, {}{}\n", table.to_string(), unit, coverage.on_unit,
             coverage.computing, coverage.multiplications(), coverage.time());
  tools::add_operator_graph(page, "Operators on " + unit, tables, [&](uint32_t op) {
    const std::string remark = remark_on(tables, op, programs[op]);
    return tools::OperatorMark{remark.empty() ? "has a program" : remark, {}};
  });
  if (const tools::PageDetails placements = tools::vendor_placements(tables); !placements.empty())
    page.add_facts("Where the vendors' programs run", placements);
  page.add_table("Costs on " + unit, table);
  return {{"unit", unit}, {"operators", operators_of(tables, programs)}};
}

}  // namespace

Json explain_precisions(const plan::Tables& tables, const std::map<std::string, std::string>& stated,
                        tools::Page& page) {
  const auto entries = tools::precisions(tables, stated);
  const tools::Table table = tools::table_of(tables, entries);
  fmt::print("{}\n{}{}\n\n", table.to_string(), tools::summary_of(tables, entries).to_string(),
             tools::counts_of(entries));
  page.add_table("Arithmetic", table);
  Json operators = Json::array();
  for (size_t i = 0; i < entries.size(); ++i)
    operators.push_back({{"name", tables.operators[i].name},
                         {"kind", entries[i].what},
                         {"type", entries[i].type},
                         {"units", tools::units_of(tables, static_cast<uint32_t>(i))},
                         {"macs", statistics(tables, tables.operators[i]).macs},
                         {"reason", entries[i].reason},
                         {"remedy", entries[i].remedy}});
  return {{"unit", "all"}, {"operators", operators}};
}

Json explain_plan(const plan::Tables& tables, tools::Page& page) {
  Json result = Json::array();
  Json arithmetic = explain_precisions(tables, {}, page);
  for (const auto& [key, programs] : units_of(tables))
    result.push_back(explain(tables, tools::printable(key.second.empty() ? key.first : key.first + " " + key.second),
                             programs, page));
  result.push_back(std::move(arithmetic));
  return result;
}

}  // namespace nestrt::compiler
