// SPDX-License-Identifier: Apache-2.0
// The conformance suite for plug-ins: tests the requirements of nestrt/vendor.h, case by case, with a program from the
// vendor. Used by `nestrt conformance`, and by tests that show that each case detects its fault.
//
// A plug-in runs in this process. If it writes to invalid memory, it may crash the process instead of failing its case.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "drivers/vendor/part.h"
#include "drivers/vendor/plugin.h"

namespace nestrt::vendor {

// A program from the vendor's compiler. Its function is unknown, but it must compute the same results in every run.
using ConformanceProgram = Part;

struct ConformanceCase {
  std::string_view name;  // a statement that a conforming plug-in satisfies
  Status (*test)(const std::shared_ptr<const Plugin>& plugin, const ConformanceProgram& program);
};

std::span<const ConformanceCase> conformance_cases();

struct ConformanceResult {
  std::string_view name;
  Status status;
};

// Runs every case on a new device with random inputs. Calls `done` after each.
std::vector<ConformanceResult> run_conformance(const std::shared_ptr<const Plugin>& plugin,
                                               const ConformanceProgram& program,
                                               const std::function<void(const ConformanceResult&)>& done = {});

}  // namespace nestrt::vendor
