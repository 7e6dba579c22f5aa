// SPDX-License-Identifier: Apache-2.0
#include "tools/nestrt/figures/unit_times.h"

#include <fmt/core.h>

#include "tools/support/report/statistics.h"
#include "tools/support/text/printable.h"
#include "tools/support/text/table.h"

namespace nestrt::command {

UnitTimes::UnitTimes(const UnitList& units, int runs) : units_(units.size()) {
  for (size_t i = 0; i < units.size(); ++i) {
    units_[i].name = units[i]->info().name;
    units_[i].busy_ms.reserve(static_cast<size_t>(runs));
  }
}

void UnitTimes::step_done(const StepRecord& step) {
  OfUnit& unit = units_[step.unit];
  unit.busy.fetch_add((step.end - step.start).count(), std::memory_order_relaxed);
  unit.steps.fetch_add(1, std::memory_order_relaxed);
}

void UnitTimes::end_of_run(bool is_measured) {
  for (OfUnit& unit : units_) {
    const double busy_ms = tools::milliseconds(SteadyClock::duration(unit.busy.exchange(0)));
    const uint32_t steps = unit.steps.exchange(0);
    if (!is_measured) continue;
    unit.busy_ms.push_back(busy_ms);
    unit.mean_steps += (steps - unit.mean_steps) / static_cast<double>(unit.busy_ms.size());
  }
}

tools::Table UnitTimes::table(double median_run_ms) const {
  using tools::Align;
  tools::Table table({{"unit"},
                      {"steps", Align::kRight},
                      {"busy", Align::kRight},
                      {"p90", Align::kRight},
                      {"p99", Align::kRight},
                      {"jitter", Align::kRight},
                      {"share", Align::kRight}});
  for (const OfUnit& unit : units_) {
    const tools::Summary busy = tools::summarize(unit.busy_ms);
    table.add_row({tools::printable(unit.name), fmt::format("{:.1f}", unit.mean_steps), tools::format_ms(busy.median),
                   tools::format_ms(busy.p90), tools::format_ms(busy.p99), tools::format_ms(busy.jitter),
                   fmt::format("{:.0f} %", median_run_ms > 0 ? 100 * busy.median / median_run_ms : 0)});
  }
  return table;
}

Json UnitTimes::to_json() const {
  Json list = Json::array();
  for (const OfUnit& unit : units_) {
    const tools::Summary busy = tools::summarize(unit.busy_ms);
    list.push_back({{"name", unit.name},
                    {"steps", unit.mean_steps},
                    {"busy_median_ms", busy.median},
                    {"busy_p90_ms", busy.p90},
                    {"busy_p99_ms", busy.p99},
                    {"busy_jitter_ms", busy.jitter}});
  }
  return list;
}

}  // namespace nestrt::command
