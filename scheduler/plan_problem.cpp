#include "scheduler/plan_problem.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "runtime/costs/unit_key.h"
#include "runtime/plan/channel_order.h"
#include "runtime/plan/dependencies.h"
#include "runtime/plan/program_for.h"
#include "scheduler/joins.h"
#include "scheduler/none.h"

namespace nestrt::scheduler {
namespace {

constexpr int kMaxHostLanes = 8;

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
        task_of_(tables_.branches.size(), kNone) {}

  Result<Problem> build() && {
    find_host();
    add_units();
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

  // The host's threads in one lane, and in as many lanes as share them evenly.
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

  void add_task(uint32_t branch) {
    task_of_[branch] = static_cast<uint32_t>(problem_.tasks.size());
    Task& task = problem_.tasks.emplace_back();
    task.branch = branch;
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

  // How many tasks there are between the same two separators: cores need not be shared by more.
  void count_neighbours() {
    neighbours_.assign(problem_.tasks.size(), 1);
    uint32_t begin = 0;
    const auto set_up_to = [&](uint32_t end) {
      for (uint32_t task = begin; task < end; ++task) neighbours_[task] = end - begin;
    };
    for (const Separator& separator : separators_of(problem_)) {
      set_up_to(separator.tasks_before);
      begin = separator.tasks_before + (separator.barrier == kNone ? 0 : 1);
    }
    set_up_to(static_cast<uint32_t>(problem_.tasks.size()));
  }

  // Which tasks read others channel by channel.
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
    if (host_) NESTRT_RETURN_IF_ERROR(add_on_host(task));
    for (const TaskInput& input : problem_.tasks[task].inputs)
      if (input.by_channel) NESTRT_RETURN_IF_ERROR(add_followers(input.task, task));
    return problem_.tasks[task].choices.empty() ? no_unit_for(problem_.tasks[task].branch) : Status();
  }

  const plan::Branch& branch_of(uint32_t task) const { return tables_.branches[problem_.tasks[task].branch]; }

  std::optional<uint32_t> whole_program(uint32_t task, uint32_t unit) const {
    return program_index_for(branch_of(task), units_[unit]);
  }

  Result<Part> make_part(uint32_t task, uint32_t lane, uint32_t program, ChannelRange channels, int threads) const {
    const uint32_t unit = problem_.lanes[lane].unit;
    NESTRT_ASSIGN_OR_RETURN(const WorkCost cost, branch_cost(costs_, plan_, problem_.tasks[task].branch, program,
                                                             key_of(units_[unit], threads), channels));
    Part part;
    part.lane = lane;
    part.us = cost.microseconds;
    if (options_.shared != nullptr) part.bytes = options_.shared->bytes(problem_.tasks[task].branch, program, channels);
    part.program = program;
    part.channels = channels;
    part.threads = threads;
    return part;
  }

  Status add_whole(uint32_t task, uint32_t unit) {
    const std::optional<uint32_t> program = whole_program(task, unit);
    if (!program) return {};
    NESTRT_ASSIGN_OR_RETURN(Part part, make_part(task, lane_of_[unit], *program, {}, 0));
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
    const uint32_t channels = output_channels(task);
    const auto& programs = branch_of(task).programs;
    for (uint32_t program = 0; program < programs.size(); ++program) {
      const uint32_t first = programs[program].channels;
      if (!host_program || first == 0 || first >= channels || !can_run(programs[program], units_[unit])) continue;
      NESTRT_ASSIGN_OR_RETURN(Part part, make_part(task, lane_of_[unit], program, {0, first}, 0));
      NESTRT_ASSIGN_OR_RETURN(Part rest, host_part(task, *host_program, {first, channels}));
      part.output_share = static_cast<double>(first) / channels;
      problem_.tasks[task].choices.push_back({{std::move(part), std::move(rest)}, 0});
    }
    return {};
  }

  // Where the task that it reads by channel is divided, the host may go on with its own part of the channels while the
  // other unit has not finished, and compute the others later, all of them or those that the other unit leaves.
  Status add_followers(uint32_t before, uint32_t task) {
    const std::optional<uint32_t> program = whole_program(task, *host_);
    if (!program) return {};
    std::vector<Choice> added;
    for (const Choice& divided : problem_.tasks[before].choices) {
      if (divided.parts.size() != 2) continue;
      const uint32_t middle = divided.parts[1].channels.begin;
      NESTRT_ASSIGN_OR_RETURN(Part own, host_part(task, *program, {middle, divided.parts[1].channels.end}));
      NESTRT_ASSIGN_OR_RETURN(Part others, host_part(task, *program, {0, middle}));
      added.push_back({{own, others}, 0});
      NESTRT_ASSIGN_OR_RETURN(const std::optional<Choice> shared, best_of_three(divided, task, added.back()));
      if (shared) added.push_back(*shared);
    }
    std::vector<Choice>& choices = problem_.tasks[task].choices;
    choices.insert(choices.end(), added.begin(), added.end());
    return {};
  }

  // Among the choices of the task whose other unit computes the first channels of those that it computed of the task
  // before, the one that is complete first if the two parts of that task start together. The host computes what is
  // left of `on_host`.
  Result<std::optional<Choice>> best_of_three(const Choice& before, uint32_t task, const Choice& on_host) const {
    const Part &own = on_host.parts[0], &others = on_host.parts[1];
    std::optional<Choice> best;
    double least = std::numeric_limits<double>::infinity();
    for (const Choice& choice : problem_.tasks[task].choices) {
      const bool is_split = choice.parts.size() == 2 && choice.parts[0].lane == before.parts[0].lane;
      if (!is_split || choice.parts[1].channels.begin >= others.channels.end) continue;
      const ChannelRange left{choice.parts[1].channels.begin, others.channels.end};
      NESTRT_ASSIGN_OR_RETURN(const Part rest, host_part(task, own.program, left));
      const double on_unit = before.parts[0].us + choice.parts[0].us;
      const double end = std::max(on_unit, std::max(before.parts[0].us, before.parts[1].us + own.us) + rest.us);
      if (end >= least) continue;
      least = end;
      best = Choice{{choice.parts[0], own, rest}, 0};
    }
    return best;
  }

  Result<Part> host_part(uint32_t task, uint32_t program, ChannelRange channels) const {
    NESTRT_ASSIGN_OR_RETURN(Part part, make_part(task, 0, program, channels, 0));
    part.output_share = static_cast<double>(channels.end - channels.begin) / output_channels(task);
    return part;
  }

  uint32_t output_channels(uint32_t task) const {
    const plan::Operator& op = tables_.operators[branch_of(task).operators[0]];
    const auto& shape = tables_.tensors[static_cast<uint32_t>(op.outputs[0])].shape;
    return shape.rank() > 1 ? static_cast<uint32_t>(shape[1]) : 0;
  }

  Status no_unit_for(uint32_t branch) const {
    std::string given;
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
  std::vector<uint32_t> lane_of_;     // by unit beside the host
  std::vector<uint32_t> neighbours_;  // by task
  Problem problem_;
};

}  // namespace

Result<Problem> make_problem(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                             const PlanProblemOptions& options) {
  return ProblemBuilder(plan, units, costs, options).build();
}

}  // namespace nestrt::scheduler
