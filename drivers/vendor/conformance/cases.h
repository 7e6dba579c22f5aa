// SPDX-License-Identifier: Apache-2.0
// The cases of the conformance suite, by subject. The table in conformance.cpp lists all of them.
#pragma once

#include "drivers/vendor/conformance/subject.h"

namespace nestrt::vendor::cases {

using PluginPointer = std::shared_ptr<const Plugin>;

// Devices and memory: memory_cases.cpp.
Status describes_itself(const PluginPointer& plugin, const ConformanceProgram& program);
Status opens_again(const PluginPointer& plugin, const ConformanceProgram& program);
Status rejects_unknown_options(const PluginPointer& plugin, const ConformanceProgram& program);
Status self_test_succeeds(const PluginPointer& plugin, const ConformanceProgram& program);
Status shared_blocks_are_disjoint(const PluginPointer& plugin, const ConformanceProgram& program);

// Programs: program_cases.cpp.
Status states_ports(const PluginPointer& plugin, const ConformanceProgram& program);
Status refuses_cut_blobs(const PluginPointer& plugin, const ConformanceProgram& program);
Status refuses_noise(const PluginPointer& plugin, const ConformanceProgram& program);
Status leaves_blob(const PluginPointer& plugin, const ConformanceProgram& program);
Status keeps_programs_apart(const PluginPointer& plugin, const ConformanceProgram& program);

// Results: result_cases.cpp.
Status computes_the_same(const PluginPointer& plugin, const ConformanceProgram& program);
Status check_runs_are_independent(const PluginPointer& plugin, const ConformanceProgram& program);
Status check_any_address(const PluginPointer& plugin, const ConformanceProgram& program);
Status writes_all_outputs(const PluginPointer& plugin, const ConformanceProgram& program);
Status writes_outputs_only(const PluginPointer& plugin, const ConformanceProgram& program);

// Start and end of runs: run_cases.cpp.
Status reports_runs_once(const PluginPointer& plugin, const ConformanceProgram& program);
Status wait_without_run_ends(const PluginPointer& plugin, const ConformanceProgram& program);
Status keeps_deadlines(const PluginPointer& plugin, const ConformanceProgram& program);
Status cancels_nothing_else(const PluginPointer& plugin, const ConformanceProgram& program);
Status cancels_at_any_time(const PluginPointer& plugin, const ConformanceProgram& program);
Status resets_what_runs(const PluginPointer& plugin, const ConformanceProgram& program);
Status keeps_programs_over_reset(const PluginPointer& plugin, const ConformanceProgram& program);

}  // namespace nestrt::vendor::cases
