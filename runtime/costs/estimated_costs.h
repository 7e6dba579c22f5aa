// What is believed of work that nobody has measured.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"

namespace nestrt {

// Of one core: begin_us + work / work_per_us + results / results_per_us, where work are multiplications, or elements of
// a pool's windows, and results the elements that are written, of a convolution in whole blocks of channels.
struct WorkRates {
  double begin_us = 0;
  double work_per_us = 0;  // 0: not counted
  double results_per_us = 0;
};

// Cores divide all of it but the beginning, and share the memory: nothing takes less than its constants need there,
// or all that it touches where that is more than the cache.
struct HostRates {
  static constexpr const char* kOther = "other";

  // By kind of work: "s8 pointwise", "spatial", "depthwise" and "stem" (up to 4 channels) of convolutions, "winograd",
  // "winograd_two" and "winograd_strided" where their weights are packed for it (without rates of their own as
  // "spatial"), "s8 Dense" of all else that multiplies, "s8 Pool", else the operator's name. What is missing is as
  // kOther, which always is there.
  std::map<std::string, WorkRates, std::less<>> kinds;
  double memory_bytes_per_us = 0;  // of all cores
  double cache_bytes = 0;
  double fork_us = 0;  // handing work out to several cores, and the end of it
};

// Whether work may be of that kind (HostRates::kinds).
bool is_kind_of_work(std::string_view name);

// About half of the four multiplications a cycle that a Cortex-A53 at 1.2 GHz has, and what a ZCU102's memory gives.
HostRates rates_of_any_host();

// Adds what is missing to schedule the plan on the units: of the host by its rates; a program of another unit of which
// nobody has stated anything costs what the plan supposes, and where it supposes nothing as much as the host alone. The
// proportions among operators are what counts for sessions: runs soon show how fast the units are.
void add_estimates(const Plan& plan, std::span<const UnitInfo> units, CostTable& costs,
                   const HostRates& rates = rates_of_any_host());

}  // namespace nestrt
