#include "tools/nestc/explain_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "runtime/plan/channels.h"
#include "runtime/plan/statistics.h"
#include "runtime/plan/views.h"
#include "tools/common/plan_figures.h"
#include "tools/common/printable.h"
#include "tools/common/table.h"

namespace nestrt::compiler {
namespace {

using tools::Json;

// What one unit has for an operator.
struct Programs {
  const plan::Program* whole = nullptr;
  size_t pieces = 0;
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
          programs[op].whole = &program;
        else
          ++programs[op].pieces;
      }
    }
  }
  return units;
}

double microseconds_of(const Programs& programs) {
  return programs.whole == nullptr || programs.whole->costs.empty() ? 0 : programs.whole->costs[0].microseconds;
}

std::string remark_on(const plan::Tables& tables, const plan::Operator& op, const Programs& programs) {
  if (programs.whole != nullptr) return "";
  return is_view(tables, op) ? "computes nothing: a view" : "the plan has no program for it";
}

Json explain(const plan::Tables& tables, const std::string& unit, const std::vector<Programs>& programs,
             tools::Page& page) {
  using enum tools::Align;
  tools::Table table({{"#", kRight},
                      {"operator"},
                      {"kind"},
                      {"MMAC", kRight},
                      {"ms", kRight},
                      {"pieces", kRight},
                      {"stays on the CPU because"}});
  Json operators = Json::array();
  size_t on_unit = 0, computing = 0;  // but for views
  double microseconds = 0;
  uint64_t macs = 0, all_macs = 0;
  for (uint32_t i = 0; i < tables.operators.size(); ++i) {
    const plan::Operator& op = tables.operators[i];
    const uint64_t work = statistics(tables, op).macs;
    const double cost = microseconds_of(programs[i]);
    const std::string remark = remark_on(tables, op, programs[i]);
    table.add_row({std::to_string(i), tools::printable(op.name), std::string(ops::name(op.kind())),
                   work == 0 ? "" : fmt::format("{:.2f}", static_cast<double>(work) / 1e6),
                   cost > 0 ? fmt::format("{:.3f}", cost / 1e3) : "",
                   programs[i].pieces > 0 ? std::to_string(programs[i].pieces) : "", remark});
    Json entry{{"name", op.name}, {"kind", ops::name(op.kind())}, {"macs", work}};
    if (programs[i].whole != nullptr) entry.set("microseconds", cost);
    if (!remark.empty()) entry.set("reason", remark);
    operators.push_back(std::move(entry));
    const bool computes = !is_view(tables, op);
    computing += computes;
    all_macs += work;
    if (programs[i].whole == nullptr) continue;
    on_unit += computes, macs += work, microseconds += cost;
  }
  fmt::print("{}\n{}: {} of {} operators that compute, {:.1f}% of the multiplications{}\n", table.to_string(), unit,
             on_unit, computing, all_macs == 0 ? 0 : 100 * static_cast<double>(macs) / static_cast<double>(all_macs),
             microseconds > 0 ? fmt::format("; {:.2f} ms", microseconds / 1e3) : "");
  tools::add_operator_graph(page, "Operators on " + unit, tables, [&](uint32_t op) {
    const std::string remark = remark_on(tables, tables.operators[op], programs[op]);
    return tools::OperatorMark{remark.empty() ? "has a program" : remark, {}};
  });
  page.add_table("Costs on " + unit, table);
  return {{"unit", unit}, {"operators", std::move(operators)}};
}

}  // namespace

Result<Json> explain_plan(const plan::Tables& tables, tools::Page& page) {
  Json result = Json::array();
  for (const auto& [key, programs] : units_of(tables))
    result.push_back(explain(tables, tools::printable(key.second.empty() ? key.first : key.first + " " + key.second),
                             programs, page));
  if (units_of(tables).empty())
    return Status(Code::kInvalidArgument,
                  "the plan has programs for no unit beside the CPU, which runs everything; why that is so the model "
                  "tells: nestc explain MODEL.onnx --target zcu102 --quantize s8 --calibrate DIR");
  return result;
}

}  // namespace nestrt::compiler
