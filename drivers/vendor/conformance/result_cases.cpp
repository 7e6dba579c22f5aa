// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "drivers/vendor/conformance/cases.h"

namespace nestrt::vendor::cases {

Status computes_the_same(const PluginPointer& plugin, const ConformanceProgram& program) {
  NESTRT_ASSIGN_OR_RETURN(const Subject subject, Subject::open(plugin, program));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> expected, subject.results(1));
  for (int round = 0; round < 5; ++round) NESTRT_RETURN_IF_ERROR(subject.check_still_right(1, expected));
  return {};
}

Status check_runs_are_independent(const PluginPointer& plugin, const ConformanceProgram& program) {
  NESTRT_ASSIGN_OR_RETURN(const Subject subject, Subject::open(plugin, program));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> first, subject.results(1));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> second, subject.results(2));
  NESTRT_RETURN_IF_ERROR(subject.check_still_right(1, first));
  return subject.check_still_right(2, second);
}

Status check_any_address(const PluginPointer& plugin, const ConformanceProgram& program) {
  NESTRT_ASSIGN_OR_RETURN(const Subject subject, Subject::open(plugin, program));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> expected, subject.results(1));
  for (const size_t shift : {1, 2, 3, 7}) {
    NESTRT_ASSIGN_OR_RETURN(const auto ports, subject.ports(1, shift));
    NESTRT_RETURN_IF_ERROR(subject.run(*ports));
    if (ports->outputs() == expected) continue;
    return broken(fmt::format("the results differ if the addresses of the ports are moved by {} alignments", shift));
  }
  return {};
}

// Checks that every output byte is written. A byte that is not written keeps its value, so the test runs with two
// different initial values.
Status writes_all_outputs(const PluginPointer& plugin, const ConformanceProgram& program) {
  NESTRT_ASSIGN_OR_RETURN(const Subject subject, Subject::open(plugin, program));
  NESTRT_ASSIGN_OR_RETURN(const auto ports, subject.ports(1));
  std::vector<std::vector<std::byte>> results;
  for (const std::byte before : {std::byte{0x00}, std::byte{0xff}}) {
    ports->fill_outputs(before);
    NESTRT_RETURN_IF_ERROR(subject.run(*ports));
    results.push_back(ports->outputs());
  }
  const auto at = static_cast<size_t>(std::ranges::mismatch(results[0], results[1]).in1 - results[0].begin());
  return at == results[0].size() ? Status() : broken(fmt::format("byte {} of the outputs is not written", at));
}

Status writes_outputs_only(const PluginPointer& plugin, const ConformanceProgram& program) {
  NESTRT_ASSIGN_OR_RETURN(const Subject subject, Subject::open(plugin, program));
  for (const uint32_t seed : {1, 2, 3}) {
    NESTRT_ASSIGN_OR_RETURN(const auto ports, subject.ports(seed));
    NESTRT_RETURN_IF_ERROR(subject.run(*ports));
    NESTRT_RETURN_IF_ERROR(ports->check_untouched());
  }
  return {};
}

}  // namespace nestrt::vendor::cases
