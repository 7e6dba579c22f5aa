// SPDX-License-Identifier: Apache-2.0
#include "scheduler/problem/plan_problem.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "runtime/costs/cost_range.h"
#include "runtime/costs/unit_key.h"
#include "runtime/plan/queries/channel_order.h"
#include "runtime/plan/queries/channels.h"
#include "runtime/plan/queries/dependencies.h"
#include "runtime/plan/queries/program_for.h"
#include "scheduler/problem/invalid_index.h"
#include "scheduler/problem/joins.h"

namespace nestrt::scheduler {
namespace {

constexpr int kMaxHostLanes = 8;
constexpr double kRounding = 1e-9;

class ProblemBuilder {
 public:
  ProblemBuilder(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                 const PlanProblemOptions& options)
      : plan_(plan),
        tables_(plan.tables()),
        units_(units),
        costs_(costs),
        options_(options),
        origins_(tensor_origins(tables_)),
        task_of_(tables_.branches.size(), kInvalidIndex) {}

  Result<Problem> build() && {
    find_host();
    add_units();
    for (const ProblemUnit& unit : problem_.units) NESTRT_RETURN_IF_ERROR(check(unit.overhead));
    find_alike();
    for (uint32_t branch = 0; branch < task_of_.size(); ++branch)
      if (!computes_nothing(tables_, branch)) add_task(branch);
    mark_results();
    count_neighbours();
    if (options_.split_channels && host_) find_channel_order();
    for (uint32_t task = 0; task < problem_.tasks.size(); ++task) NESTRT_RETURN_IF_ERROR(add_choices(task));
    return std::move(problem_);
  }

 private:
  void find_host() {
    for (uint32_t unit = 0; unit < units_.size() && !host_; ++unit)
      if (units_[unit].is_host) host_ = unit;
  }

  static Status check(const UnitOverhead& overhead) {
    for (const double number : {overhead.start_us, overhead.finish_us, overhead.mb_per_s, overhead.lane_us})
      if (!is_cost(number))
        return Status(Code::kInvalidArgument,
                      fmt::format("costs: an overhead of {} is invalid; expected 0 to {}", number, kMaxMicroseconds));
    return {};
  }

  // Adds the units and their lanes. The host's threads form one lane, or any number of lanes that share them evenly.
  void add_units() {
    const SharedResources* const shared = options_.shared;
    for (uint32_t unit = 0; unit < units_.size(); ++unit)
      problem_.units.push_back(
          {unit == host_, costs_.overhead(key_of(units_[unit])), shared ? shared->awake_us[unit] : 0});
    const int threads = host_ ? std::max(1, units_[*host_].num_threads) : 0;
    if (shared != nullptr) {
      problem_.memory_mb_per_s = shared->memory_mb_per_s;
      problem_.host_cores = threads;
      problem_.waits = shared->waits;
    }
    problem_.sharings.clear();
    for (int lanes = 1; lanes <= std::min(threads, options_.share_cores ? kMaxHostLanes : 1); ++lanes)
      if (threads % lanes == 0)
        problem_.sharings.emplace_back(static_cast<size_t>(lanes), 1.0 / static_cast<double>(lanes));
    if (host_) problem_.lanes.assign(problem_.sharings.back().size(), {*host_});
    lane_of_.assign(units_.size(), 0);
    for (uint32_t unit = 0; unit < units_.size(); ++unit) {
      if (units_[unit].is_host) continue;
      lane_of_[unit] = static_cast<uint32_t>(problem_.lanes.size());
      problem_.lanes.push_back({unit});
    }
  }

  // Groups accelerators that run the same programs.
  void find_alike() {
    for (uint32_t unit = 0; unit < units_.size(); ++unit) {
      if (units_[unit].is_host) continue;
      const auto is_alike = [&](const std::vector<uint32_t>& others) {
        return are_alike(units_[others.front()], units_[unit]);
      };
      const auto found = std::ranges::find_if(alike_, is_alike);
      (found == alike_.end() ? alike_.emplace_back() : *found).push_back(unit);
    }
  }

  void add_task(uint32_t branch) {
    task_of_[branch] = static_cast<uint32_t>(problem_.tasks.size());
    Task& task = problem_.tasks.emplace_back();
    task.branch = branch;
    task.output = first_output(branch);
    std::set<uint32_t> read;
    for (uint32_t op : tables_.branches[branch].operators)
      for (int32_t tensor : tables_.operators[op].inputs)
        if (tensor >= 0) read.insert(static_cast<uint32_t>(tensor));
    std::map<uint32_t, double> bytes_of;
    for (uint32_t tensor : read) {
      for (const TensorOrigin& origin : origins_[tensor])
        if (origin.branch != branch) bytes_of[task_of_[origin.branch]] += static_cast<double>(origin.bytes);
      const plan::Buffer& buffer = tables_.buffers[tables_.tensors[tensor].buffer];
      if (buffer.kind != plan::BufferKind::kInput) continue;
      task.reads_caller = true;
      task.caller_bytes += static_cast<double>(buffer.size);
    }
    for (const auto& [before, bytes] : bytes_of) task.inputs.push_back({before, bytes});
  }

  void mark_results() {
    for (uint32_t output : tables_.outputs) {
      for (const TensorOrigin& origin : origins_[output]) {
        Task& task = problem_.tasks[task_of_[origin.branch]];
        task.is_result = true;
        task.result_bytes += static_cast<double>(origin.bytes);
      }
    }
  }

  // For each task, counts the tasks between the same two separators. More lanes than that are useless.
  void count_neighbours() {
    neighbours_.assign(problem_.tasks.size(), 1);
    uint32_t begin = 0;
    const auto set_up_to = [&](uint32_t end) {
      for (uint32_t task = begin; task < end; ++task) neighbours_[task] = end - begin;
    };
    for (const Separator& separator : separators_of(problem_)) {
      set_up_to(separator.tasks_before);
      begin = separator.tasks_before + (separator.barrier == kInvalidIndex ? 0 : 1);
    }
    set_up_to(static_cast<uint32_t>(problem_.tasks.size()));
  }

  // Marks the inputs that are read channel by channel.
  void find_channel_order() {
    const std::vector<uint32_t> before = channel_predecessors(plan_.tables());
    for (Task& task : problem_.tasks)
      for (TaskInput& input : task.inputs) input.by_channel = before[task.branch] == problem_.tasks[input.task].branch;
    keep_barriers(problem_);
  }

  Status add_choices(uint32_t task) {
    for (uint32_t unit = 0; unit < units_.size(); ++unit) {
      if (units_[unit].is_host) continue;
      NESTRT_RETURN_IF_ERROR(add_whole(task, unit));
      if (options_.split_channels && host_) NESTRT_RETURN_IF_ERROR(add_splits(task, unit));
    }
    if (options_.split_channels)
      for (const std::vector<uint32_t>& units : alike_) NESTRT_RETURN_IF_ERROR(add_shared(task, units));
    if (host_) NESTRT_RETURN_IF_ERROR(add_on_host(task));
    for (const TaskInput& input : problem_.tasks[task].inputs)
      if (input.by_channel) NESTRT_RETURN_IF_ERROR(add_followers(input.task, task));
    return problem_.tasks[task].choices.empty() ? no_unit_for(problem_.tasks[task].branch) : Status();
  }

  const plan::Branch& branch_of(uint32_t task) const { return tables_.branches[problem_.tasks[task].branch]; }

  std::optional<uint32_t> whole_program(uint32_t task, uint32_t unit) const {
    return program_index_for(branch_of(task), units_[unit]);
  }

  Result<Part> make_part(uint32_t task, uint32_t lane, uint32_t program, ChannelRange channels, int threads = 0) const {
    const uint32_t unit = problem_.lanes[lane].unit;
    NESTRT_ASSIGN_OR_RETURN(const WorkCost cost, branch_cost(costs_, plan_, problem_.tasks[task].branch, program,
                                                             key_of(units_[unit], threads), channels));
    Part part;
    part.us = cost.microseconds + (cost.source == CostSource::kModelled ? more_calls_us(task, lane, channels) : 0);
    part.threads = threads;
    return with_work(part, task, lane, program, channels);
  }

  // Returns the call overhead that an unmeasured slice adds to its share of the operator's cost, which already includes
  // one call.
  double more_calls_us(uint32_t task, uint32_t lane, ChannelRange channels) const {
    if (options_.shared == nullptr || problem_.lanes[lane].unit != host_ || channels.all()) return 0;
    const auto calls = rectangles_of(output_channels(task), output_rows(task), channels).size();
    return options_.shared->kernel_us * (static_cast<double>(calls) - output_share(task, channels));
  }

  // Returns a copy of `part` that runs the given program on the given lane.
  Part with_work(Part part, uint32_t task, uint32_t lane, uint32_t program, ChannelRange channels) const {
    part.lane = lane;
    part.program = program;
    part.channels = channels;
    part.output_share = output_share(task, channels);
    const SharedResources* const shared = options_.shared;
    const uint32_t branch = problem_.tasks[task].branch;
    if (shared != nullptr) part.bytes = shared->bytes(branch, program, channels);
    if (shared != nullptr && shared->host_us) part.host_us = shared->host_us(branch, program);
    return part;
  }

  Status add_whole(uint32_t task, uint32_t unit) {
    const std::optional<uint32_t> program = whole_program(task, unit);
    if (!program) return {};
    NESTRT_ASSIGN_OR_RETURN(Part part, make_part(task, lane_of_[unit], *program, {}));
    problem_.tasks[task].choices.push_back({{std::move(part)}, kAnySharing});
    return {};
  }

  Status add_on_host(uint32_t task) {
    const std::optional<uint32_t> program = whole_program(task, *host_);
    if (!program) return {};
    for (uint32_t sharing = 0; sharing < problem_.sharings.size(); ++sharing) {
      const std::vector<double>& shares = problem_.sharings[sharing];
      if (sharing > 0 && shares.size() > neighbours_[task]) break;
      const int threads = sharing == 0 ? 0 : units_[*host_].num_threads / static_cast<int>(shares.size());
      Result<Part> part = make_part(task, 0, *program, {}, threads);
      if (!part && sharing > 0 && part.error().code() == Code::kNotFound) continue;
      if (!part) return part.error();
      for (uint32_t lane = 0; lane < shares.size(); ++lane) {
        part->lane = lane;
        part->unit_share = shares[lane];
        problem_.tasks[task].choices.push_back({{*part}, sharing});
      }
    }
    return {};
  }

  Status add_splits(uint32_t task, uint32_t unit) {
    const std::optional<uint32_t> host_program = whole_program(task, *host_);
    const auto& programs = branch_of(task).programs;
    for (uint32_t program = 0; program < programs.size(); ++program) {
      if (!host_program || !begins(programs[program], units_[unit])) continue;
      const ChannelRange& part = programs[program].channels;
      if (part.end >= output_channels(task)) continue;
      NESTRT_ASSIGN_OR_RETURN(Part first, make_part(task, lane_of_[unit], program, part));
      NESTRT_ASSIGN_OR_RETURN(Part rest, host_rest(task, *host_program, part));
      problem_.tasks[task].choices.push_back({{std::move(first), std::move(rest)}, 0});
    }
    return {};
  }

  // Returns whether the unit can run the program and the program computes a range of channels that starts with the
  // first.
  static bool begins(const plan::Program& program, const UnitInfo& unit) {
    return !program.channels.all() && program.channels.is_first() && can_run(program, unit);
  }

  // Adds choices in which two or more of the units compute consecutive parts and the host computes the rest.
  Status add_shared(uint32_t task, const std::vector<uint32_t>& units) {
    const auto& programs = branch_of(task).programs;
    for (uint32_t program = 0; program < programs.size(); ++program) {
      if (!begins(programs[program], units_[units[0]])) continue;
      const std::vector<uint32_t> chain = chain_from(task, program, units);
      for (size_t count = 2; count <= chain.size(); ++count)
        NESTRT_RETURN_IF_ERROR(add_shared(task, units, std::span(chain).first(count)));
    }
    return {};
  }

  // Returns a chain of programs, starting with `first`. Each further program computes the largest slice that follows
  // the previous one and is no larger than the first. The chain has at most one program per unit and leaves room for
  // the host's parts.
  std::vector<uint32_t> chain_from(uint32_t task, uint32_t first, const std::vector<uint32_t>& units) const {
    const auto& programs = branch_of(task).programs;
    const double most = output_share(task, programs[first].channels) * (1 + kRounding);
    std::vector<uint32_t> chain{first};
    const size_t most_programs = std::min(units.size(), kMaxParts - kMaxHostParts);
    while (chain.size() < most_programs) {
      const ChannelRange& before = programs[chain.back()].channels;
      std::optional<uint32_t> next;
      for (uint32_t program = 0; program < programs.size(); ++program) {
        const ChannelRange& part = programs[program].channels;
        const bool follows = !part.all() && part.begin == before.end && part.begin_row == before.end_row;
        if (!follows || !can_run(programs[program], units_[units[0]])) continue;
        const double share = output_share(task, part);
        if (share <= most && (!next || share > output_share(task, programs[*next].channels))) next = program;
      }
      if (!next) break;
      chain.push_back(*next);
    }
    return chain;
  }

  // Adds a choice for the first units of the group, another for the next units, and so on, while enough units remain.
  Status add_shared(uint32_t task, const std::vector<uint32_t>& units, std::span<const uint32_t> programs) {
    const ChannelRange& last = branch_of(task).programs[programs.back()].channels;
    const bool is_complete = last.end == output_channels(task);
    const std::optional<uint32_t> host_program = host_ ? whole_program(task, *host_) : std::nullopt;
    if (!is_complete && !host_program) return {};
    for (size_t begin = 0; begin + programs.size() <= units.size(); begin += programs.size()) {
      Choice choice{{}, is_complete ? kAnySharing : 0};
      for (size_t i = 0; i < programs.size(); ++i) {
        NESTRT_ASSIGN_OR_RETURN(Part part, follower(task, units[begin + i], programs[i], choice));
        choice.parts.push_back(std::move(part));
      }
      if (!is_complete) {
        NESTRT_ASSIGN_OR_RETURN(Part rest, host_rest(task, *host_program, last));
        choice.parts.push_back(std::move(rest));
      }
      problem_.tasks[task].choices.push_back(std::move(choice));
    }
    return {};
  }

  // Makes a part that follows the parts of `before`. An unmeasured part is assumed to take as long as the first part,
  // which is not smaller.
  Result<Part> follower(uint32_t task, uint32_t unit, uint32_t program, const Choice& before) const {
    const ChannelRange& channels = branch_of(task).programs[program].channels;
    Result<Part> part = make_part(task, lane_of_[unit], program, channels);
    if (part || before.parts.empty() || part.error().code() != Code::kNotFound) return part;
    return with_work(before.parts.front(), task, lane_of_[unit], program, channels);
  }

  // Adds choices for a task that reads a split task channel by channel. The host may continue with its own channels
  // before the other units have finished. It computes the other channels later: all of them, or only those that the
  // other units do not compute.
  Status add_followers(uint32_t before, uint32_t task) {
    const std::optional<uint32_t> program = whole_program(task, *host_);
    if (!program) return {};
    std::vector<Choice> added;
    for (const Choice& divided : problem_.tasks[before].choices) {
      if (divided.parts.size() < 2 || !problem_.unit_of(divided.parts.back()).is_host) continue;
      const uint32_t end = divided.parts.back().channels.end;
      const uint32_t middle = whole_blocks_from(divided.parts.back().channels);
      if (middle >= end) continue;
      NESTRT_ASSIGN_OR_RETURN(Part own, make_part(task, 0, *program, {middle, end}));
      NESTRT_ASSIGN_OR_RETURN(Part others, make_part(task, 0, *program, {0, middle}));
      added.push_back({{own, others}, 0});
      NESTRT_ASSIGN_OR_RETURN(const std::optional<Choice> shared, best_shared(divided, task, added.back()));
      if (shared) added.push_back(*shared);
    }
    std::vector<Choice>& choices = problem_.tasks[task].choices;
    choices.insert(choices.end(), added.begin(), added.end());
    return {};
  }

  // Returns the first channel of the first block that a part computes in all rows.
  static uint32_t whole_blocks_from(const ChannelRange& part) {
    return part.begin + (part.begin_row > 0 ? kChannelBlock : 0);
  }

  // Considers the choices of the task in which the other units compute some of the channels that they computed for the
  // previous task, starting with the first. The host computes the rest, in two parts like `on_host`. Returns the choice
  // that completes first if the parts of the previous task start together.
  Result<std::optional<Choice>> best_shared(const Choice& before, uint32_t task, const Choice& on_host) const {
    const Part &own = on_host.parts[0], &others = on_host.parts[1];
    std::optional<Choice> best;
    double least = std::numeric_limits<double>::infinity();
    for (const Choice& choice : problem_.tasks[task].choices) {
      if (!is_on_lanes_of(before, choice) || choice.parts.back().channels.begin >= others.channels.end) continue;
      const ChannelRange left{choice.parts.back().channels.begin, others.channels.end,
                              choice.parts.back().channels.begin_row, 0};
      NESTRT_ASSIGN_OR_RETURN(const Part rest, make_part(task, 0, own.program, left));
      const double on_units = longest_on_units(before) + longest_on_units(choice);
      const double before_rest = std::max(longest_on_units(before), before.parts.back().us + own.us);
      const double end = std::max(on_units, before_rest + rest.us);
      if (end >= least) continue;
      least = end;
      best = choice;
      best->parts.back() = own;
      best->parts.push_back(rest);
    }
    return best;
  }

  // Returns whether `choice` is split among the same units as `before`, including the host.
  bool is_on_lanes_of(const Choice& before, const Choice& choice) const {
    return choice.parts.size() > 1 && problem_.unit_of(choice.parts.back()).is_host &&
           std::ranges::equal(before.parts, choice.parts, {}, &Part::lane, &Part::lane);
  }

  static double longest_on_units(const Choice& choice) {
    double longest = 0;
    for (const Part& part : std::span(choice.parts).first(choice.parts.size() - 1))
      longest = std::max(longest, part.us);
    return longest;
  }

  // Makes the host's part, which follows `part` and ends with the last channel.
  Result<Part> host_rest(uint32_t task, uint32_t program, const ChannelRange& part) const {
    return make_part(task, 0, program, {part.end, output_channels(task), part.end_row, 0});
  }

  const Shape& first_output(uint32_t branch) const {
    const plan::Operator& op = tables_.operators[tables_.branches[branch].operators[0]];
    return tables_.tensors[static_cast<uint32_t>(op.outputs[0])].shape;
  }

  double output_share(uint32_t task, const ChannelRange& channels) const {
    return share_of(problem_.tasks[task].output, channels);
  }

  uint32_t output_channels(uint32_t task) const {
    const Shape& shape = problem_.tasks[task].output;
    return shape.rank() > 1 ? static_cast<uint32_t>(shape[1]) : 0;
  }

  uint32_t output_rows(uint32_t task) const {
    const Shape& shape = problem_.tasks[task].output;
    return shape.rank() == 4 ? static_cast<uint32_t>(shape[2]) : 1;
  }

  Status no_unit_for(uint32_t branch) const {
    std::string given = units_.empty() ? "none" : "";
    for (const UnitInfo& unit : units_) given += fmt::format("{}{}", given.empty() ? "" : ", ", unit.kind);
    return Status(
        Code::kIncompatible,
        fmt::format("branch {} has no program for any of these units: {}; add a unit or recompile the model for them",
                    branch, given));
  }

  const Plan& plan_;
  const plan::Tables& tables_;
  const std::span<const UnitInfo> units_;
  const CostTable& costs_;
  const PlanProblemOptions options_;
  const std::vector<std::vector<TensorOrigin>> origins_;
  std::vector<uint32_t> task_of_;  // by branch
  std::optional<uint32_t> host_;
  std::vector<uint32_t> lane_of_;  // by accelerator
  std::vector<std::vector<uint32_t>> alike_;
  std::vector<uint32_t> neighbours_;  // by task
  Problem problem_;
};

}  // namespace

Result<Problem> make_problem(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                             const PlanProblemOptions& options) {
  return ProblemBuilder(plan, units, costs, options).build();
}

}  // namespace nestrt::scheduler
