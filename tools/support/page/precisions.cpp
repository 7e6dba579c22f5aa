// SPDX-License-Identifier: Apache-2.0
#include "tools/support/page/precisions.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "runtime/plan/queries/statistics.h"
#include "runtime/plan/queries/views.h"
#include "tools/support/page/plan_figures.h"
#include "tools/support/text/printable.h"

namespace nestrt::tools {
namespace {

const plan::Tensor* operand(const plan::Tables& tables, const std::vector<int32_t>& list, size_t index) {
  return index < list.size() && list[index] >= 0 ? &tables.tensors[static_cast<size_t>(list[index])] : nullptr;
}

bool is_of(const plan::Tensor* tensor, DataType type) { return tensor != nullptr && tensor->type == type; }

std::string type_of(const plan::Tables& tables, const plan::Operator& op) {
  if (is_view(tables, op)) return "view";
  const ops::Kind kind = op.kind();
  if (kind == ops::Kind::kQuantize || kind == ops::Kind::kDequantize || kind == ops::Kind::kCast ||
      kind == ops::Kind::kReorder)
    return "convert";
  const plan::Tensor *const input = operand(tables, op.inputs, 0), *const output = operand(tables, op.outputs, 0);
  if (input != nullptr && input->quantization) return input->quantization->scales.empty() ? "s8" : "s8c";
  return is_of(input, DataType::kF32) || is_of(output, DataType::kF32) ? "f32" : "integers";
}

std::string what_of(const plan::Operator& op) {
  std::string what(ops::name(op.kind()));
  const auto append = [&](std::string_view function) { what.append(" ").append(function); };
  if (const auto* unary = std::get_if<ops::Unary>(&op.attributes)) append(ops::name(unary->kind));
  if (const auto* binary = std::get_if<ops::Binary>(&op.attributes)) append(ops::name(binary->kind));
  if (const auto* pool = std::get_if<ops::Pool>(&op.attributes)) append(ops::name(pool->kind));
  if (const auto* reduce = std::get_if<ops::Reduce>(&op.attributes)) append(ops::name(reduce->kind));
  if (const auto* recurrent = std::get_if<ops::Recurrent>(&op.attributes)) append(ops::name(recurrent->kind));
  return what;
}

// Why an operator is f32, and what would change that.
struct Reason {
  std::string reason, remedy;
};

constexpr const char* kMovesFloats = "its input is f32, or no s8 operator reads its result";

Reason reason_of_unary(const ops::Unary& unary) {
  if (unary.kind == ops::UnaryKind::kRelu || unary.kind == ops::UnaryKind::kClip) return {kMovesFloats, ""};
  return {fmt::format("{} has no s8 form", ops::name(unary.kind)),
          "train with relu, or a clip such as relu6, which fuse into the preceding layer"};
}

Reason reason_of_binary(const ops::Binary& binary) {
  if (binary.kind == ops::BinaryKind::kAdd)
    return {"an operand is f32, or its activation has no s8 form", "see the operators before it"};
  return {"only additions of two values have an s8 form", ""};
}

Reason reason_of_pool(const ops::Pool& pool) {
  if (pool.kind == ops::PoolKind::kLp) return {"pools of Lp norms have no s8 form", ""};
  if (pool.kind == ops::PoolKind::kMax) return {kMovesFloats, ""};
  return {"its input is f32, or its means would use few of the 256 levels", ""};
}

bool only_moves(ops::Kind kind) {
  return kind == ops::Kind::kConcat || kind == ops::Kind::kReshape || kind == ops::Kind::kTranspose;
}

Reason reason_of(const plan::Operator& op) {
  if (const auto* unary = std::get_if<ops::Unary>(&op.attributes)) return reason_of_unary(*unary);
  if (const auto* binary = std::get_if<ops::Binary>(&op.attributes)) return reason_of_binary(*binary);
  if (const auto* pool = std::get_if<ops::Pool>(&op.attributes)) return reason_of_pool(*pool);
  if (only_moves(op.kind())) return {kMovesFloats, ""};
  if (op.kind() == ops::Kind::kConv || op.kind() == ops::Kind::kDense)
    return {"the quantizer kept it", "nestc compile prints the reason"};
  if (op.kind() == ops::Kind::kMatMul) return {"products of two computed values have no s8 form", ""};
  if (op.kind() == ops::Kind::kConvTranspose)
    return {"ConvTranspose has no s8 form", "use a Resize followed by a Conv"};
  return {fmt::format("{} has no s8 form", ops::name(op.kind())), ""};
}

// The remedy for a reason of the quantizer.
std::string remedy_for(std::string_view reason) {
  if (reason == "as asked") return "remove it from --keep-f32, or lower --min-snr";
  if (reason.starts_with("the profile has no exponent")) return "calibrate with the options of this compilation";
  if (reason.starts_with("its accumulators")) return "fewer inputs per output, or groups";
  return "";
}

double mmacs(const plan::Tables& tables, size_t op) {
  return static_cast<double>(statistics(tables, tables.operators[op]).macs) / 1e6;
}

std::string explanation(const OperatorPrecision& entry) {
  return printable(entry.reason + (entry.remedy.empty() ? "" : "; " + entry.remedy));
}

constexpr const char* kReasonTitle = "why it is not s8, and what would change that";

}  // namespace

std::vector<OperatorPrecision> precisions(const plan::Tables& tables,
                                          const std::map<std::string, std::string>& stated) {
  std::vector<OperatorPrecision> result;
  for (const plan::Operator& op : tables.operators) result.push_back({type_of(tables, op), what_of(op), "", ""});
  const bool mixes = std::ranges::any_of(result, [](const auto& entry) { return entry.type.starts_with("s8"); });
  for (size_t i = 0; mixes && i < result.size(); ++i) {
    if (result[i].type != "f32") continue;
    const auto known = stated.find(tables.operators[i].name);
    const Reason reason =
        known != stated.end() ? Reason{known->second, remedy_for(known->second)} : reason_of(tables.operators[i]);
    result[i].reason = reason.reason;
    result[i].remedy = reason.remedy;
  }
  return result;
}

std::string counts_of(const std::vector<OperatorPrecision>& precisions) {
  std::string text = fmt::format("s8: {} operators", count_of(precisions, "s8"));
  for (const auto& [type, title] :
       {std::pair("s8c", "s8c"), {"f32", "f32"}, {"integers", "integers"}, {"convert", "conversions"}})
    if (const size_t count = count_of(precisions, type); count > 0) text += fmt::format(", {}: {}", title, count);
  return text;
}

size_t count_of(const std::vector<OperatorPrecision>& precisions, std::string_view type) {
  return static_cast<size_t>(
      std::ranges::count_if(precisions, [&](const OperatorPrecision& entry) { return entry.type == type; }));
}

Table summary_of(const plan::Tables& tables, const std::vector<OperatorPrecision>& precisions) {
  struct Group {
    size_t first = 0, operators = 0;
    double mmacs = 0;
  };
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Group> groups;
  double all = 0;
  for (size_t i = 0; i < precisions.size(); ++i) {
    const OperatorPrecision& entry = precisions[i];
    Group& group = groups[{entry.type, entry.what, units_of(tables, static_cast<uint32_t>(i)), explanation(entry)}];
    if (group.operators++ == 0) group.first = i;
    group.mmacs += mmacs(tables, i);
    all += mmacs(tables, i);
  }
  std::vector<std::pair<Group, const std::tuple<std::string, std::string, std::string, std::string>*>> sorted;
  for (const auto& [key, group] : groups) sorted.emplace_back(group, &key);
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) {
    return std::tuple(-a.first.mmacs, a.first.first) < std::tuple(-b.first.mmacs, b.first.first);
  });
  using enum Align;
  Table table({{"type"},
               {"operators", kRight},
               {"kind"},
               {"first"},
               {"MMAC", kRight},
               {"share", kRight},
               {"units"},
               {kReasonTitle}});
  for (const auto& [group, key] : sorted) {
    const auto& [type, what, units, why] = *key;
    table.add_row({type, std::to_string(group.operators), what, printable(tables.operators[group.first].name),
                   group.mmacs == 0 ? "" : fmt::format("{:.2f}", group.mmacs),
                   group.mmacs == 0 ? "" : fmt::format("{:.1f}%", 100 * group.mmacs / all), units, why});
  }
  return table;
}

Table table_of(const plan::Tables& tables, const std::vector<OperatorPrecision>& precisions) {
  using enum Align;
  Table table({{"#", kRight}, {"operator"}, {"kind"}, {"type"}, {"MMAC", kRight}, {"units"}, {kReasonTitle}});
  for (size_t i = 0; i < precisions.size(); ++i) {
    const double work = mmacs(tables, i);
    table.add_row({std::to_string(i), printable(tables.operators[i].name), precisions[i].what, precisions[i].type,
                   work == 0 ? "" : fmt::format("{:.2f}", work), units_of(tables, static_cast<uint32_t>(i)),
                   explanation(precisions[i])});
  }
  return table;
}

}  // namespace nestrt::tools
