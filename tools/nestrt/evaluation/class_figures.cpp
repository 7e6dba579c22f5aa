// SPDX-License-Identifier: Apache-2.0
#include "tools/nestrt/evaluation/class_figures.h"

#include <fmt/core.h>

#include <algorithm>

#include "tools/nestrt/evaluation/evaluation_task.h"
#include "tools/support/text/printable.h"

namespace nestrt::command {
namespace {

using tools::Align;
using tools::ClassFigures, tools::ClassificationScore, tools::Confusion;

constexpr const char* kNoClass = "(invalid)";

std::string title_of(std::optional<int64_t> label, const ClassTitles& names) {
  if (!label) return kNoClass;
  const auto name = names.find(*label);
  return name == names.end() ? fmt::format("{}", *label) : name->second;
}

// Returns the class and its name, if it has one.
Json named_class(int64_t label, const ClassTitles& names) {
  Json json{{"class", label}};
  if (const auto name = names.find(label); name != names.end()) json.set("name", name->second);
  return json;
}

Json figures_of_class(const ClassFigures& figures, const ClassTitles& names) {
  Json json = named_class(figures.label, names);
  json.set("n", figures.num_samples);
  json.set("found", figures.num_found);
  json.set("top1", figures.recall());
  json.set("top5", figures.top5());
  json.set("precision", figures.precision());
  json.set("f1", figures.f1());
  return json;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

Json class_figures(const ClassificationScore& score, const ClassTitles& names) {
  Json classes = Json::array(), confusion = Json::array();
  for (const ClassFigures& each : score.classes()) classes.push_back(figures_of_class(each, names));
  for (const Confusion& each : score.confusion())
    confusion.push_back({{"class", each.label}, {"found", each.found ? Json(*each.found) : Json()}, {"n", each.count}});
  return {{"n", score.num_samples()},     {"top1", score.top1()},
          {"top5", score.top5()},         {"balanced_accuracy", score.balanced_accuracy()},
          {"macro_f1", score.macro_f1()}, {"classes", classes},
          {"confusion", confusion}};
}

Table table_of_classes(const ClassificationScore& score, const ClassTitles& names) {
  Table table({{"class"},
               {"samples", Align::kRight},
               {"found", Align::kRight},
               {"top-1", Align::kRight},
               {"top-5", Align::kRight},
               {"precision", Align::kRight},
               {"F1", Align::kRight}});
  for (const ClassFigures& each : score.classes())
    table.add_row({tools::printable(title_of(each.label, names)), fmt::format("{}", each.num_samples),
                   fmt::format("{}", each.num_found), format_fraction(each.recall()), format_fraction(each.top5()),
                   format_fraction(each.precision()), format_fraction(each.f1())});
  return table;
}

Table table_of_errors(const ClassificationScore& score, const ClassTitles& names, size_t count) {
  Table table({{"class"}, {"found instead"}, {"samples", Align::kRight}});
  const std::vector<Confusion> errors = tools::frequent_errors(score);
  for (size_t i = 0; i < std::min(count, errors.size()); ++i)
    table.add_row({tools::printable(title_of(errors[i].label, names)),
                   tools::printable(title_of(errors[i].found, names)), fmt::format("{}", errors[i].count)});
  return table;
}

std::string confusion_csv(const ClassificationScore& score, const ClassTitles& names) {
  const std::vector<ClassFigures> classes = score.classes();
  std::map<std::pair<int64_t, std::optional<int64_t>>, uint64_t> counts;
  std::vector<std::optional<int64_t>> columns;
  for (const ClassFigures& each : classes) columns.emplace_back(each.label);
  const std::vector<Confusion> confusion = score.confusion();
  if (std::ranges::any_of(confusion, [](const Confusion& pair) { return !pair.found; })) columns.emplace_back();
  for (const Confusion& pair : confusion) counts[{pair.label, pair.found}] = pair.count;
  std::string csv = "class";
  for (const std::optional<int64_t>& found : columns) csv += ',' + csv_cell(title_of(found, names));
  csv += '\n';
  for (const ClassFigures& row : classes) {
    csv += csv_cell(title_of(row.label, names));
    for (const std::optional<int64_t>& found : columns) {
      const auto count = counts.find({row.label, found});
      csv += fmt::format(",{}", count == counts.end() ? 0 : count->second);
    }
    csv += '\n';
  }
  return csv;
}

}  // namespace nestrt::command
