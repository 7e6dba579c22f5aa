// SPDX-License-Identifier: Apache-2.0
#include "tools/support/report/compare_units.h"

#include <algorithm>
#include <random>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/session.h"
#include "runtime/plan/queries/channels.h"
#include "runtime/plan/queries/program_for.h"
#include "runtime/plan/verify/computed_bytes.h"
#include "runtime/platform/aligned_memory.h"
#include "tools/support/report/branch_memory.h"

namespace nestrt::tools {
namespace {

uint64_t count_differences(const std::vector<std::byte>& one, const std::vector<std::byte>& other) {
  uint64_t different = 0;
  for (size_t i = 0; i < one.size(); ++i) different += one[i] != other[i];
  return different;
}

class UnitComparer {
 public:
  UnitComparer(std::shared_ptr<const Plan> plan, const UnitList& units) : plan_(std::move(plan)), units_(units) {}

  Result<std::vector<BranchComparison>> run() {
    const auto host = std::find_if(units_.begin(), units_.end(), [](const auto& unit) { return unit->info().is_host; });
    if (host == units_.end())
      return Status(Code::kInvalidArgument, "the units do not include 'cpu', whose results the comparison requires");
    NESTRT_ASSIGN_OR_RETURN(computed_, computed_bytes(plan_->tables()));
    std::vector<BranchComparison> result;
    for (uint32_t branch = 0; branch < plan_->tables().branches.size(); ++branch) {
      for (const std::shared_ptr<Unit>& unit : units_)
        if (unit != *host) NESTRT_RETURN_IF_ERROR(compare_programs(branch, **host, *unit, result));
    }
    return result;
  }

 private:
  Status compare_programs(uint32_t branch, Unit& host, Unit& unit, std::vector<BranchComparison>& result) {
    const plan::Branch& entry = plan_->tables().branches[branch];
    const plan::Program* reference = program_for(entry, host.info());
    if (reference == nullptr) return {};  // opaque branches run only on their own unit
    for (const plan::Program& program : entry.programs) {
      const bool chosen = !program.channels.all() || &program == program_for(entry, unit.info());
      if (!chosen || !can_run(program, unit.info())) continue;
      NESTRT_ASSIGN_OR_RETURN(result.emplace_back(), compare(branch, host, *reference, unit, program));
    }
    return {};
  }

  // Returns the channels before and after a part of a branch's only operator.
  std::vector<ChannelRange> others_of(const ChannelRange& part, uint32_t branch) const {
    if (part.all()) return {};
    const uint32_t channels = divisible_channels(plan_->tables(), plan_->tables().branches[branch]);
    std::vector<ChannelRange> others;
    if (part.begin > 0 || part.begin_row > 0) others.push_back({0, part.begin, 0, part.begin_row});
    if (part.end < channels) others.push_back({part.end, channels, part.end_row, 0});
    return others;
  }

  Status run_on(const BranchMemory& memory, const BranchSpec& branch, Unit& unit) const {
    NESTRT_ASSIGN_OR_RETURN(const auto executable, unit.prepare(branch));
    NESTRT_ASSIGN_OR_RETURN(const auto scratch, AlignedMemory::allocate(executable->scratch_bytes(), "scratch memory"));
    Submission submission;
    submission.bindings = {memory.addresses(), scratch.data()};
    submission.unit_deadline = SteadyClock::now() + SessionOptions().fault_tolerance.unit_timeout;
    return nestrt::run(*executable, submission);
  }

  // Returns the bytes of the branch's results that the program computes. A vendor's program declares its outputs and
  // does not write the values between its operators.
  plan_verify::Extents results_of(uint32_t branch, const plan::Program& program) const {
    if (program.kind != plan::ProgramKind::kBlob) return computed_[branch];
    plan_verify::Extents written;
    for (const plan::ProgramRange& range : program.ranges) {
      if (range.access == plan::RangeAccess::kRead) continue;
      const plan::Tensor& tensor = plan_->tables().tensors[static_cast<size_t>(range.tensor)];
      const uint64_t begin = tensor.offset + range.offset;
      written.push_back({tensor.buffer, begin, begin + range.size});
    }
    const plan_verify::Extents others = plan_verify::difference(computed_[branch], plan_verify::make_set(written));
    return plan_verify::difference(computed_[branch], others);
  }

  Result<BranchComparison> compare(uint32_t branch, Unit& host, const plan::Program& host_program, Unit& unit,
                                   const plan::Program& program) {
    const plan::Tables& tables = plan_->tables();
    const plan::Branch& entry = tables.branches[branch];
    BranchComparison result{branch, tables.operators[entry.operators[0]].name, unit.info().name, program.channels};
    const plan_verify::Extents results = results_of(branch, program);
    BranchMemory memory(*plan_, branch, results);
    NESTRT_RETURN_IF_ERROR(memory.allocate());
    memory.randomize(random_);
    NESTRT_RETURN_IF_ERROR(run_on(memory, {plan_, branch, &host_program, {}}, host));
    const std::vector<std::byte> expected = memory.results(), others = memory.others();
    memory.spoil_results();
    // The host runs first, so that it cannot hide bytes that the unit changes by mistake.
    for (const ChannelRange& rest : others_of(program.channels, branch))
      NESTRT_RETURN_IF_ERROR(run_on(memory, {plan_, branch, &host_program, rest}, host));
    NESTRT_RETURN_IF_ERROR(run_on(memory, {plan_, branch, &program, {}}, unit));
    result.bytes = expected.size();
    result.different = count_differences(expected, memory.results());
    result.stray = count_differences(others, memory.others());
    return result;
  }

  const std::shared_ptr<const Plan> plan_;
  const UnitList& units_;
  std::vector<plan_verify::Extents> computed_;  // by branch
  std::mt19937 random_{1};                      // the same inputs in every run
};

}  // namespace

Result<std::vector<BranchComparison>> compare_units(const std::shared_ptr<const Plan>& plan, const UnitList& units) {
  return UnitComparer(plan, units).run();
}

}  // namespace nestrt::tools
