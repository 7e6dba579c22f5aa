// SPDX-License-Identifier: Apache-2.0
// Estimates costs of work that was not measured.
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
// multiplications, or of elements of pooling windows; results is the number of elements written, in whole blocks of
// channels for convolutions.
struct WorkRates {
  double begin_us = 0;
  double work_per_us = 0;  // 0: work is free
  double results_per_us = 0;
};

// Cores share everything except begin_us, and share the memory bandwidth: no operator takes less than the transfer of
// its constants, or of all its data if that exceeds the cache.
struct HostRates {
  static constexpr const char* kOther = "other";

  // By kind of work: for convolutions "s8 pointwise", "spatial", "depthwise" and "stem" (up to 4 channels), and
  // "winograd", "winograd_two" and "winograd_strided" if their weights are packed for it (default: "spatial"); "s8
  // Dense" for other multiplications; "s8 Pool"; else the operator's name. Missing kinds use kOther, which always
  // exists.
  std::map<std::string, WorkRates, std::less<>> kinds;
  double memory_bytes_per_us = 0;  // of all cores together
  double cache_bytes = 0;
  double fork_us = 0;  // distribution of work to several cores and the final synchronisation
};

// Returns whether this is a kind of work (HostRates::kinds).
bool is_kind_of_work(std::string_view name);

// About half of the four multiplications per cycle of a Cortex-A53 at 1.2 GHz, and the memory bandwidth of a ZCU102.
HostRates rates_of_any_host();

// Adds the costs that are missing to schedule the plan on the units: for the host by its rates; for a program of
// another unit the plan's assumption, or else the host's time. Only the proportions between operators matter to
// sessions, because runs soon show how fast the units are.
void add_estimates(const Plan& plan, std::span<const UnitInfo> units, CostTable& costs,
                   const HostRates& rates = rates_of_any_host());

}  // namespace nestrt
