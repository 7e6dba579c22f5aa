// SPDX-License-Identifier: Apache-2.0
// A unit of another kind that computes as the CPU does and ignores its programs.
#pragma once

#include <memory>
#include <utility>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/driver/unit.h"

namespace nestrt::test {

class RenamedCpu final : public Unit {
 public:
  RenamedCpu(std::shared_ptr<Unit> cpu, UnitInfo info) : cpu_(std::move(cpu)), info_(std::move(info)) {}
  const UnitInfo& info() const override { return info_; }
  Result<std::unique_ptr<Executable>> prepare(const BranchSpec& branch) override {
    BranchSpec on_cpu = branch;
    on_cpu.program = &branch.plan->tables().branches[branch.branch].programs[0];
    return cpu_->prepare(on_cpu);
  }

 private:
  const std::shared_ptr<Unit> cpu_;
  const UnitInfo info_;
};

}  // namespace nestrt::test
