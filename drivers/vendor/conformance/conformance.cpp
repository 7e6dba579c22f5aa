// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/conformance/conformance.h"

#include "drivers/vendor/conformance/cases.h"
#include "runtime/platform/guard.h"

namespace nestrt::vendor {
namespace {

constexpr ConformanceCase kCases[] = {
    {"a device always reports the same valid description", cases::describes_itself},
    {"a program has the inputs and outputs that it was compiled for", cases::states_ports},
    {"a closed device opens again", cases::opens_again},
    {"an unknown option is rejected", cases::rejects_unknown_options},
    {"the self-test succeeds, and programs run after it", cases::self_test_succeeds},
    {"shared memory is aligned and its blocks are disjoint", cases::shared_blocks_are_disjoint},
    {"a truncated program is rejected", cases::refuses_cut_blobs},
    {"a blob that is not a program is rejected", cases::refuses_noise},
    {"the same inputs produce the same results", cases::computes_the_same},
    {"results do not depend on earlier runs", cases::check_runs_are_independent},
    {"results do not depend on the addresses of inputs and outputs", cases::check_any_address},
    {"every byte of every output is written", cases::writes_all_outputs},
    {"nothing but outputs is written", cases::writes_outputs_only},
    {"the program's blob is not changed", cases::leaves_blob},
    {"two programs on one device are independent", cases::keeps_programs_apart},
    {"a wait without a run ends at its time limit", cases::wait_without_run_ends},
    {"the end of a run is reported once, with its number", cases::reports_runs_once},
    {"a deadline ends a run and the next one is correct", cases::keeps_deadlines},
    {"a cancellation of another run has no effect", cases::cancels_nothing_else},
    {"a cancellation at any time produces either the results or the status", cases::cancels_at_any_time},
    {"a reset ends a run and the next one is correct", cases::resets_what_runs},
    {"programs are still loaded after a reset", cases::keeps_programs_over_reset},
};

}  // namespace

std::span<const ConformanceCase> conformance_cases() { return kCases; }

std::vector<ConformanceResult> run_conformance(const std::shared_ptr<const Plugin>& plugin,
                                               const ConformanceProgram& program,
                                               const std::function<void(const ConformanceResult&)>& done) {
  std::vector<ConformanceResult> results;
  for (const ConformanceCase& tested : kCases) {
    results.push_back({tested.name, guarded([&] { return tested.test(plugin, program); })});
    if (done) done(results.back());
  }
  return results;
}

}  // namespace nestrt::vendor
