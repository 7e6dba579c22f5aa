// SPDX-License-Identifier: Apache-2.0
// Loads, opens and runs a plan of floats or bytes with inputs of zeros.
#pragma once

#include <vector>

#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "runtime/platform/guard.h"

namespace nestrt::test {

// Inputs of zeros and memory for the outputs, allocated in advance so that running allocates nothing.
class SampleArguments {
 public:
  explicit SampleArguments(const Plan& plan) {
    for (const TensorInfo& info : plan.inputs())
      inputs_.emplace_back(info.type, info.shape, memory_.emplace_back(info.size_bytes()).data());
    for (const TensorInfo& info : plan.outputs())
      outputs_.push_back({info.type, info.shape, memory_.emplace_back(info.size_bytes()).data()});
  }
  Status run(Session& session, const RunOptions& options = {}) const { return session.run(inputs_, outputs_, options); }

 private:
  std::vector<std::vector<std::byte>> memory_;
  std::vector<ConstTensorView> inputs_;
  std::vector<TensorView> outputs_;
};

// Copies a unit list for functions that take ownership of one.
inline Result<UnitList> copy_of(const UnitList& units) {
  return guarded([&]() -> Result<UnitList> { return units; });
}

// Runs one inference on the units, in the order of the plan if no costs are known.
inline Status open_and_run(const std::shared_ptr<const Plan>& plan, std::string_view units, int num_threads,
                           const SampleArguments& arguments) {
  NESTRT_ASSIGN_OR_RETURN(UnitList opened, open_units(units, {.num_threads = num_threads}));
  SessionOptions options;
  options.costs.measure = Measuring::kNever;
  NESTRT_ASSIGN_OR_RETURN(const auto session, Session::create(plan, std::move(opened), options));
  return arguments.run(*session);
}

}  // namespace nestrt::test
