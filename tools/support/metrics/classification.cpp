// SPDX-License-Identifier: Apache-2.0
#include "tools/support/metrics/classification.h"

#include <algorithm>
#include <limits>

namespace nestrt::tools {
namespace {

constexpr size_t kTop = 5;

double fraction(uint64_t part, uint64_t whole) {
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double ClassFigures::recall() const { return fraction(num_top1, num_samples); }
double ClassFigures::top5() const { return fraction(num_top5, num_samples); }
double ClassFigures::precision() const { return fraction(num_top1, num_found); }
double ClassFigures::f1() const { return fraction(2 * num_top1, num_samples + num_found); }

void ClassificationScore::add(int64_t label, std::span<const int64_t> found) {
  const std::span<const int64_t> top = found.first(std::min(found.size(), kTop));
  const bool is_first = !top.empty() && top[0] == label;
  const bool is_among_top = std::ranges::find(top, label) != top.end();
  ClassFigures& truth = classes_[label];
  ++truth.num_samples;
  truth.num_top1 += is_first;
  truth.num_top5 += is_among_top;
  if (!top.empty()) ++classes_[top[0]].num_found;
  ++pairs_[{label, top.empty() ? std::nullopt : std::optional(top[0])}];
  ++num_samples_;
  num_top1_ += is_first;
  num_top5_ += is_among_top;
}

double ClassificationScore::top1() const { return fraction(num_top1_, num_samples_); }
double ClassificationScore::top5() const { return fraction(num_top5_, num_samples_); }

double ClassificationScore::balanced_accuracy() const {
  double sum = 0;
  size_t count = 0;
  for (const ClassFigures& each : classes()) {
    if (each.num_samples == 0) continue;
    sum += each.recall();
    ++count;
  }
  return sum / static_cast<double>(count);
}

double ClassificationScore::macro_f1() const {
  double sum = 0;
  for (const ClassFigures& each : classes()) sum += each.f1();
  return sum / static_cast<double>(classes_.size());
}

std::vector<ClassFigures> ClassificationScore::classes() const {
  std::vector<ClassFigures> list;
  for (const auto& [label, figures] : classes_) {
    list.push_back(figures);
    list.back().label = label;
  }
  return list;
}

std::vector<Confusion> ClassificationScore::confusion() const {
  std::vector<Confusion> list;
  for (const auto& [pair, count] : pairs_) list.push_back({pair.first, pair.second, count});
  return list;
}

std::vector<Confusion> frequent_errors(const ClassificationScore& score) {
  std::vector<Confusion> errors = score.confusion();
  std::erase_if(errors, [](const Confusion& pair) { return pair.found == pair.label; });
  std::ranges::stable_sort(errors, std::ranges::greater{}, &Confusion::count);
  return errors;
}

}  // namespace nestrt::tools
