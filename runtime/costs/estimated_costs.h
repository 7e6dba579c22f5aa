// SPDX-License-Identifier: Apache-2.0
// Estimates the costs of unmeasured work.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"

namespace nestrt {

// The rates of one core: time = begin_us + work / work_per_us + results / results_per_us. Work is the number of
// multiplications, or of elements in pooling windows. Results is the number of elements written; for convolutions it
// counts whole blocks of channels.
struct WorkRates {
  double begin_us = 0;
  double work_per_us = 0;  // 0: work is free
  double results_per_us = 0;
};

// Several cores divide the work and the results among them; begin_us is not divided. They share the memory bandwidth:
// no operator is faster than the transfer of its constants, or of all its data if that exceeds the cache.
struct HostRates {
  static constexpr const char* kOther = "other";

  // Rates per kind of work. Convolutions: "s8 pointwise", "spatial", "depthwise" and "stem" (up to 4 channels); for
  // weights packed for Winograd, "winograd", "winograd_two" and "winograd_strided" (default: "spatial"). Other
  // multiplications: "s8 Dense". Pooling: "s8 Pool". All others: the operator's name. Missing kinds use kOther, which
  // always exists.
  std::map<std::string, WorkRates, std::less<>> kinds;
  double memory_bytes_per_us = 0;  // of all cores together
  double cache_bytes = 0;
  double fork_us = 0;  // time to distribute work to several cores and to synchronise at the end
};

// Returns whether `name` is a kind of work (HostRates::kinds).
bool is_kind_of_work(std::string_view name);

// Returns about half of the four multiplications per cycle of a Cortex-A53 at 1.2 GHz, and the memory bandwidth of a
// ZCU102.
HostRates rates_of_any_host();

// Adds the missing costs needed to schedule the plan on the units: for the host from its rates; for a program of
// another unit from the plan's assumption, or else the host's time. Only the proportions between operators matter to
// sessions, because runs soon show how fast the units are.
void add_estimates(const Plan& plan, std::span<const UnitInfo> units, CostTable& costs,
                   const HostRates& rates = rates_of_any_host());

}  // namespace nestrt
