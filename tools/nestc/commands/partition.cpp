// SPDX-License-Identifier: Apache-2.0
// nestc partition: writes a placement of a plan's branches as a NEST-C partition plan (YAML), or divides a model into
// parts.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/plan.h"
#include "tools/nestc/command.h"
#include "tools/nestc/model_files.h"
#include "tools/nestc/options/parts_options.h"
#include "tools/nestc/regions.h"
#include "tools/support/nest_c/nest_c_partition.h"
#include "tools/support/text/cli.h"
#include "tools/support/text/files.h"

namespace nestrt::compiler {
namespace {

using scheduler::Region;
using scheduler::RegionKind;

struct PartitionCommand {
  std::string file;
  std::string output;
  std::vector<std::string> units;
  PartsFlags parts;

  Status run() const;

 private:
  Status write_plan() const;
};

// Consecutive branches of one unit.
struct Partition {
  std::string unit;
  std::vector<uint32_t> branches;
};

bool runs_on(const plan::Branch& branch, std::string_view unit) {
  return std::any_of(branch.programs.begin(), branch.programs.end(),
                     [&](const plan::Program& program) { return program.channels.all() && program.unit == unit; });
}

class Partitioner {
 public:
  // Places each branch on the first unit that has a program for it.
  Partitioner(const plan::Tables& plan, std::vector<std::string> units)
      : plan_(plan), units_(std::move(units)), tree_(branch_regions(plan)) {
    collect(static_cast<uint32_t>(tree_.regions.size() - 1));
  }

  tools::NestCPartitionPlan result() const {
    tools::NestCPartitionPlan result;
    result.function = tools::nest_c_name(plan_.model_name);
    for (size_t i = 0; i < partitions_.size(); ++i) {
      const std::string& unit = partitions_[i].unit;
      const auto id = static_cast<uint32_t>(std::find(units_.begin(), units_.end(), unit) - units_.begin());
      result.partitions.push_back({"p" + std::to_string(i), tools::nest_c_backend(unit), id});
    }
    result.nodes = nodes();
    result.groups = groups_;
    return result;
  }

 private:
  using Ids = std::vector<uint32_t>;  // indices of partitions

  std::string unit_of(uint32_t branch) const {
    const plan::Branch& programs = plan_.branches[branch];
    const auto unit = std::find_if(units_.begin(), units_.end(), [&](const auto& u) { return runs_on(programs, u); });
    return unit == units_.end() ? "cpu" : *unit;
  }

  // Creates and returns the partitions of a region.
  Ids collect(uint32_t index) {
    const Region& region = tree_.regions[index];
    if (region.kind == RegionKind::kNode) {
      partitions_.push_back({unit_of(region.node), {region.node}});
      return {static_cast<uint32_t>(partitions_.size() - 1)};
    }
    Ids all, group;
    bool open = false;  // the last partition may be extended
    for (const uint32_t child : region.children) {
      const Region& part = tree_.regions[child];
      const bool chains = region.kind == RegionKind::kSeries && part.kind == RegionKind::kNode;
      if (open && chains && partitions_.back().unit == unit_of(part.node)) {
        partitions_.back().branches.push_back(part.node);
        continue;
      }
      open = chains;
      const Ids ids = collect(child);
      all.insert(all.end(), ids.begin(), ids.end());
      if (region.kind == RegionKind::kParallel && ids.size() == 1) group.push_back(ids[0]);
    }
    if (group.size() > 1) groups_.push_back(std::move(group));
    return all;
  }

  std::vector<std::pair<std::string, uint32_t>> nodes() const {
    std::vector<uint32_t> partition_of(plan_.branches.size());
    for (uint32_t i = 0; i < partitions_.size(); ++i)
      for (const uint32_t branch : partitions_[i].branches) partition_of[branch] = i;
    const std::vector<std::string> names = tools::nest_c_node_names(plan_);
    std::vector<std::pair<std::string, uint32_t>> nodes;
    for (uint32_t branch = 0; branch < partition_of.size(); ++branch)
      for (const uint32_t op : plan_.branches[branch].operators) nodes.emplace_back(names[op], partition_of[branch]);
    return nodes;
  }

  const plan::Tables& plan_;
  const std::vector<std::string> units_;
  const scheduler::RegionTree tree_;
  std::vector<Partition> partitions_;
  std::vector<Ids> groups_;
};

// Returns the requested units, or those of the plan with the CPU last.
Result<std::vector<std::string>> units_of(const plan::Tables& plan, const std::vector<std::string>& wanted) {
  std::vector<std::string> known;
  for (const plan::Target& target : plan.targets)
    if (std::find(known.begin(), known.end(), target.unit) == known.end()) known.emplace_back(target.unit);
  for (const std::string& unit : wanted)
    if (std::find(known.begin(), known.end(), unit) == known.end())
      return Status(Code::kInvalidArgument, "--units: the plan was not compiled for a unit '" + unit + "'");
  std::vector<std::string> units = wanted.empty() ? known : wanted;
  units.erase(std::remove(units.begin(), units.end(), "cpu"), units.end());
  units.push_back("cpu");
  return units;
}

Status PartitionCommand::write_plan() const {
  NESTRT_ASSIGN_OR_RETURN(const auto loaded, Plan::map(file, Verification::kComplete));
  NESTRT_ASSIGN_OR_RETURN(std::vector<std::string> chosen, units_of(loaded->tables(), units));
  return tools::write_text(output, Partitioner(loaded->tables(), std::move(chosen)).result().to_yaml());
}

// Decides by the first bytes, or by the file name if they are damaged.
Result<bool> is_plan(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const bool begins, tools::begins_as_plan(path));
  return begins || path.ends_with(".nest");
}

Status PartitionCommand::run() const {
  if (output.empty() == parts.folder().empty())
    return Status(Code::kInvalidArgument, "expected either -o FILE.yaml or --output-dir DIR");
  NESTRT_ASSIGN_OR_RETURN(const bool plan, is_plan(file));
  if (!parts.folder().empty()) {
    if (plan) return Status(Code::kInvalidArgument, "--output-dir is for an ONNX model; this is a plan");
    if (!units.empty()) return Status(Code::kInvalidArgument, "--units is for a plan; this is an ONNX model");
    return parts.write(file);
  }
  if (const std::string wrong = plan ? parts.first_given() : units.empty() ? "" : "--units"; !wrong.empty())
    return Status(Code::kInvalidArgument,
                  fmt::format("{} cannot be combined with -o and {}", wrong, plan ? "a plan" : "an ONNX model"));
  NESTRT_RETURN_IF_ERROR(check_not_model(output, file));
  NESTRT_RETURN_IF_ERROR(tools::check_writable(output, tools::Written::kPartition));
  return plan ? write_plan() : parts.write_names(file, output);
}

}  // namespace

void add_partition_command(tools::Cli& cli) {
  auto command = std::make_shared<PartitionCommand>();
  tools::Command app =
      cli.add_command("partition",
                      "divide a model into parts with one ONNX file each, or write the placement of a plan's operators "
                      "as a NEST-C partition plan",
                      {"nestc partition model.onnx --plan PARTS.yaml --output-dir parts",
                       "nestc partition model.onnx -o names.yaml     # a plan of one part, to start from",
                       "nestc partition squeezenet.nest -o squeezenet.yaml",
                       "nestc partition squeezenet.nest --units cpu -o squeezenet.yaml"},
                      [command]() -> Result<tools::ExitCode> {
                        NESTRT_RETURN_IF_ERROR(command->run());
                        return tools::ExitCode::kOk;
                      });
  app.add_option("file", command->file, "the ONNX or TensorFlow Lite model, or the plan").required();
  const tools::Option output =
      app.add_option("-o,--output", command->output, "the NEST-C partition plan to write").not_empty();
  app.add_option("--units", command->units,
                 "units for the branches of a plan; each branch runs on the first unit that it has a program for, "
                 "otherwise on the CPU (default: all units that the plan was compiled for)")
      .separated_by(',');
  command->parts.add_to(app, output);
}

}  // namespace nestrt::compiler
