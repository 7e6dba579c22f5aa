// SPDX-License-Identifier: Apache-2.0
#include "tools/support/nest_c/partition_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "runtime/plan/queries/dependencies.h"
#include "runtime/plan/queries/program_for.h"

namespace nestrt::tools {
namespace {

constexpr uint32_t kInvalidIndex = UINT32_MAX;

Status wrong(std::string what) { return Status(Code::kInvalidArgument, std::move(what)); }

// Returns the NEST-C names of the units, in the order of the units.
std::vector<std::string> backends_of(std::span<const UnitInfo> units) {
  std::vector<std::string> names;
  std::map<std::string, uint32_t> instances;
  for (const UnitInfo& unit : units) names.push_back(nest_c_backend(unit.kind, instances[unit.kind]++));
  return names;
}

// A set of partitions that run concurrently; stages run sequentially.
struct Stage {
  std::vector<uint32_t> partitions;
  uint32_t first_branch = kInvalidIndex;
  std::set<uint32_t> before;  // preceding stages
};

class Builder {
 public:
  Builder(const NestCPartitionPlan& source, const Plan& plan, std::span<const UnitInfo> units)
      : source_(source),
        tables_(plan.tables()),
        units_(units),
        backends_(backends_of(units)),
        names_(nest_c_node_names(tables_)),
        branch_of_(branch_of_operators(tables_)),
        partition_of_(tables_.branches.size(), kInvalidIndex),
        branches_(source.partitions.size()) {}

  Result<Schedule> build() {
    NESTRT_RETURN_IF_ERROR(find_units());
    NESTRT_RETURN_IF_ERROR(place_nodes());
    NESTRT_RETURN_IF_ERROR(check_all_placed());
    make_stages();
    NESTRT_RETURN_IF_ERROR(fill_stages());
    NESTRT_ASSIGN_OR_RETURN(const std::vector<uint32_t> order, order_of_stages());
    add_lanes();
    for (const uint32_t stage : order) NESTRT_RETURN_IF_ERROR(add_steps(stages_[stage]));
    return std::move(schedule_);
  }

 private:
  std::string name_of(uint32_t partition) const { return "'" + source_.partitions[partition].name + "'"; }

  Status find_units() {
    for (const NestCPartition& partition : source_.partitions) {
      const auto is_meant = [&](const std::string& backend) {
        return backend == partition.backend || backend == partition.backend + "-0";
      };
      const auto found = std::find_if(backends_.begin(), backends_.end(), is_meant);
      if (found == backends_.end())
        return wrong(
            fmt::format("backendNames: partition '{}' is for {}, but the units are {}; choose them with --units",
                        partition.name, partition.backend, fmt::join(backends_, ", ")));
      unit_of_.push_back(static_cast<uint32_t>(found - backends_.begin()));
    }
    return {};
  }

  Status place_nodes() {
    std::map<std::string, uint32_t> operators;
    for (uint32_t op = 0; op < names_.size(); ++op) operators[names_[op]] = op;
    for (const auto& [name, partition] : source_.nodes) {
      const auto found = operators.find(name);
      if (found == operators.end())
        return wrong(fmt::format("nodeToPartition: the plan has no node '{}'; nestc partition writes its names", name));
      if (!placed_.insert(found->second).second)
        return wrong(fmt::format("nodeToPartition: '{}' is listed twice", name));
      uint32_t& of_branch = partition_of_[branch_of_[found->second]];
      if (of_branch != kInvalidIndex && of_branch != partition)
        return wrong(
            fmt::format("nodeToPartition: '{}' is in partition {}, but it runs in one program with a node of "
                        "partition {}; put both into one",
                        name, name_of(partition), name_of(of_branch)));
      of_branch = partition;
    }
    return {};
  }

  Status check_all_placed() {
    size_t missing = 0;
    std::string first;
    for (uint32_t op = 0; op < names_.size(); ++op) {
      if (placed_.count(op) > 0 || computes_nothing(tables_, branch_of_[op])) continue;
      if (missing++ == 0) first = names_[op];
    }
    if (missing == 0) return {};
    const std::string others = missing > 1 ? fmt::format(" and {} more", missing - 1) : "";
    return wrong(fmt::format("nodeToPartition: '{}'{} of the plan are in no partition; add them", first, others));
  }

  // Makes a stage of each group and of each partition without a group.
  void make_stages() {
    stage_of_.assign(source_.partitions.size(), kInvalidIndex);
    const auto add = [&](const std::vector<uint32_t>& partitions) {
      for (const uint32_t partition : partitions) stage_of_[partition] = static_cast<uint32_t>(stages_.size());
      stages_.push_back({partitions, kInvalidIndex, {}});
    };
    for (const auto& group : source_.groups) add(group);
    for (uint32_t partition = 0; partition < stage_of_.size(); ++partition)
      if (stage_of_[partition] == kInvalidIndex) add({partition});
  }

  Status fill_stages() {
    const auto dependencies = branch_dependencies(tables_);
    for (uint32_t branch = 0; branch < partition_of_.size(); ++branch) {
      if (computes_nothing(tables_, branch)) continue;
      const uint32_t partition = partition_of_[branch];
      branches_[partition].push_back(branch);
      Stage& stage = stages_[stage_of_[partition]];
      stage.first_branch = std::min(stage.first_branch, branch);
      for (const uint32_t before : dependencies[branch]) {
        const uint32_t other = partition_of_[before];
        if (computes_nothing(tables_, before) || other == partition) continue;
        if (stage_of_[other] == stage_of_[partition])
          return wrong(
              fmt::format("parallelPartitions: {} reads what {} computes, so they cannot run concurrently; "
                          "remove one of them from the group",
                          name_of(partition), name_of(other)));
        stage.before.insert(stage_of_[other]);
      }
    }
    return {};
  }

  // Orders the stages. Among the stages that are ready, the one whose first branch comes first in the plan is next.
  Result<std::vector<uint32_t>> order_of_stages() const {
    std::vector<uint32_t> order;
    std::set<std::pair<uint32_t, uint32_t>> ready;  // first branch, stage
    std::vector<std::vector<uint32_t>> after(stages_.size());
    std::vector<size_t> waiting(stages_.size());  // per stage, the number of stages it waits for
    for (uint32_t stage = 0; stage < stages_.size(); ++stage) {
      for (const uint32_t before : stages_[stage].before) after[before].push_back(stage);
      waiting[stage] = stages_[stage].before.size();
      if (waiting[stage] == 0) ready.insert({stages_[stage].first_branch, stage});
    }
    while (!ready.empty()) {
      const uint32_t stage = ready.begin()->second;
      ready.erase(ready.begin());
      order.push_back(stage);
      for (const uint32_t next : after[stage])
        if (--waiting[next] == 0) ready.insert({stages_[next].first_branch, next});
    }
    if (order.size() < stages_.size()) return explain_cycle(waiting);
    return order;
  }

  // Returns an error that names two stages of a cycle. Every waiting stage depends on another waiting one, so following
  // the dependencies reaches a cycle: it ends at the first stage that is visited twice. Each dependency is visited
  // once.
  Status explain_cycle(const std::vector<size_t>& waiting) const {
    const auto needed = [&](uint32_t stage) {
      const auto& before = stages_[stage].before;
      return *std::find_if(before.begin(), before.end(), [&](uint32_t other) { return waiting[other] > 0; });
    };
    const auto first = std::find_if(waiting.begin(), waiting.end(), [](size_t count) { return count > 0; });
    auto stage = static_cast<uint32_t>(first - waiting.begin());
    std::vector<bool> is_met(stages_.size(), false);
    for (; !is_met[stage]; stage = needed(stage)) is_met[stage] = true;
    return wrong(fmt::format(
        "nodeToPartition: {} and {} depend on each other, so neither can run first; divide one of these partitions",
        name_of(stages_[stage].partitions[0]), name_of(stages_[needed(stage)].partitions[0])));
  }

  bool is_host(uint32_t partition) const { return units_[unit_of_[partition]].is_host; }

  // Returns how many partitions of a stage the host runs concurrently.
  uint32_t shares_of(const Stage& stage) const {
    uint32_t shares = 0, threads = 1;
    for (const uint32_t partition : stage.partitions) {
      if (!is_host(partition) || branches_[partition].empty()) continue;
      ++shares;
      threads = static_cast<uint32_t>(std::max(1, units_[unit_of_[partition]].num_threads));
    }
    return std::min(shares, threads);
  }

  // Adds the lanes, those of the host first.
  void add_lanes() {
    uint32_t shares = 1;
    for (const Stage& stage : stages_) shares = std::max(shares, shares_of(stage));
    for (uint32_t unit = 0; unit < units_.size(); ++unit)
      if (units_[unit].is_host) schedule_.lanes.assign(shares, Lane{unit});
    lane_of_.assign(units_.size(), 0);
    for (uint32_t unit = 0; unit < units_.size(); ++unit) {
      const bool is_used = std::count(unit_of_.begin(), unit_of_.end(), unit) > 0;
      if (units_[unit].is_host || !is_used) continue;
      lane_of_[unit] = static_cast<uint32_t>(schedule_.lanes.size());
      schedule_.lanes.push_back({unit});
    }
  }

  Status add_steps(const Stage& stage) {
    const std::map<uint32_t, uint32_t> before = std::exchange(last_of_lane_, {});
    const uint32_t shares = shares_of(stage);
    uint32_t next_share = 0;
    for (const uint32_t partition : stage.partitions) {
      Step step;
      step.lane = lane_of_[unit_of_[partition]];
      if (is_host(partition) && shares > 1) {
        step.lane = next_share++ % shares;
        step.threads = units_[unit_of_[partition]].num_threads / static_cast<int>(shares);
      }
      for (const uint32_t branch : branches_[partition]) {
        step.branch = branch;
        NESTRT_ASSIGN_OR_RETURN(step.program, program_of(branch, partition));
        add_step(step, before);
      }
    }
    if (last_of_lane_.empty()) last_of_lane_ = before;
    return {};
  }

  // Adds a step. `before`: by lane, the last step of the previous stage.
  void add_step(Step step, const std::map<uint32_t, uint32_t>& before) {
    if (last_of_lane_.count(step.lane) == 0) {
      for (const auto& [lane, last] : before)
        if (lane != step.lane) step.waits.push_back(last);
    }
    last_of_lane_[step.lane] = static_cast<uint32_t>(schedule_.steps.size());
    schedule_.steps.push_back(std::move(step));
  }

  Result<uint32_t> program_of(uint32_t branch, uint32_t partition) const {
    const plan::Branch& programs = tables_.branches[branch];
    if (const auto program = program_index_for(programs, units_[unit_of_[partition]])) return *program;
    return wrong(
        fmt::format("nodeToPartition: {} has no program for '{}', which is in partition {}; place it on "
                    "another backend, or compile the model for this one",
                    source_.partitions[partition].backend, names_[programs.operators[0]], name_of(partition)));
  }

  const NestCPartitionPlan& source_;
  const plan::Tables& tables_;
  const std::span<const UnitInfo> units_;
  const std::vector<std::string> backends_;      // by unit
  const std::vector<std::string> names_;         // by operator
  const std::vector<uint32_t> branch_of_;        // by operator
  std::set<uint32_t> placed_;                    // operators
  std::vector<uint32_t> partition_of_;           // by branch
  std::vector<uint32_t> unit_of_;                // by partition
  std::vector<uint32_t> stage_of_;               // by partition
  std::vector<std::vector<uint32_t>> branches_;  // by partition, those that compute something
  std::vector<Stage> stages_;
  std::vector<uint32_t> lane_of_;  // by unit
  // The last step of each lane, in the current stage or else in the latest stage that uses the lane.
  std::map<uint32_t, uint32_t> last_of_lane_;
  Schedule schedule_;
};

}  // namespace

Result<Schedule> partition_schedule(const NestCPartitionPlan& partitions, const Plan& plan,
                                    std::span<const UnitInfo> units) {
  return Builder(partitions, plan, units).build();
}

}  // namespace nestrt::tools
