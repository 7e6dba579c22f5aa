#include "compiler-lite/target/target_description.h"

#include <algorithm>
#include <set>
#include <utility>

#include "drivers/evta/isa/configuration.h"
#include "drivers/unit_list.h"

namespace nestrt::compiler {
namespace {

struct CpuLevel {
  std::string_view name;
  std::vector<InstructionSet> sets;
};

// Those of x86-64-v4 are with and without dot products and tiles: the level says nothing of them, most CPUs that have
// it have the first.
const std::vector<CpuLevel>& cpu_levels() {
  using enum InstructionSet;
  static const std::vector<CpuLevel> kLevels = {
#if defined(__aarch64__)
    {"host", {kNeon, kNeonDotprod}},
#else
    {"host", {kPortable, kAvx2, kAvx512, kAvx512Vnni, kAvx512Amx}},
#endif
    {"x86-64", {kPortable}},
    {"x86-64-v3", {kAvx2}},
    {"x86-64-v4", {kAvx512, kAvx512Vnni, kAvx512Amx}},
    {"x86-64-v4-amx", {kAvx512Amx}},
    {"aarch64", {kNeon}},
    {"aarch64-dotprod", {kNeonDotprod}},
  };
  return kLevels;
}

std::string known_levels() {
  std::string known;
  for (const CpuLevel& level : cpu_levels()) known.append(known.empty() ? "" : ", ").append(level.name);
  return known;
}

const CpuLevel* find_level(std::string_view name) {
  const auto& levels = cpu_levels();
  const auto found =
      std::find_if(levels.begin(), levels.end(), [&](const CpuLevel& level) { return level.name == name; });
  return found == levels.end() ? nullptr : &*found;
}

Result<InstructionSet> instruction_set(std::string_view text) {
  for (int set = 0; set < kNumInstructionSets; ++set)
    if (name(static_cast<InstructionSet>(set)) == text) return static_cast<InstructionSet>(set);
  std::string known;
  for (int set = 0; set < kNumInstructionSets; ++set)
    known.append(set == 0 ? "" : ", ").append(name(static_cast<InstructionSet>(set)));
  return Status(Code::kInvalidArgument, "there is no instruction set '" + std::string(text) + "'; known are " + known);
}

Status check_host(UnitDescription* unit) {
  if (!unit->instruction_set.empty()) NESTRT_RETURN_IF_ERROR(instruction_set(unit->instruction_set).error());
  if (unit->configuration.empty()) return {};
  return Status(Code::kInvalidArgument, "unit 'cpu' has no configurations, not even '" + unit->configuration + "'");
}

// Takes the number of instances out of the configuration.
Status check_evta(UnitDescription* unit) {
  NESTRT_ASSIGN_OR_RETURN(const evta::Instances instances, evta::parse_instances(unit->configuration));
  if (instances.count > 1 && unit->instances > 1)
    return Status(Code::kInvalidArgument, "instances are stated twice: in the configuration, and by themselves");
  unit->instances = std::max<int64_t>(unit->instances, instances.count);
  unit->configuration = instances.configuration->name;
  return {};
}

struct UnitKind {
  std::string_view name;
  std::string_view default_configuration;
  Status (*check)(UnitDescription* unit);  // what is stated, which it completes
};

constexpr UnitKind kUnitKinds[] = {
    {kHostUnit, "", check_host},
    {"evta", evta::kConfigurations.front().name, check_evta},
};

const UnitKind* find_kind(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kUnitKinds), std::end(kUnitKinds),
                                         [&](const UnitKind& kind) { return kind.name == name; });
  return found == std::end(kUnitKinds) ? nullptr : found;
}

Status check(UnitDescription* unit) {
  if (const UnitKind* const kind = find_kind(unit->kind)) return kind->check(unit);
  std::string known;
  for (const UnitKind& kind : kUnitKinds) known.append(known.empty() ? "" : ", ").append(kind.name);
  return Status(Code::kInvalidArgument, "there is no board, CPU or unit '" + unit->kind +
                                            "'; a board is a .yaml file or the name of one in boards; CPUs are " +
                                            known_levels() + "; units are " + known);
}

// The target as items add to it.
class Builder {
 public:
  Status add_board(tools::Board board) {
    const bool has_cpu = std::any_of(board.units.begin(), board.units.end(),
                                     [](const UnitDescription& unit) { return unit.kind == kHostUnit; });
    if (!has_cpu) return Status(Code::kInvalidArgument, "a board has a unit 'cpu'; it runs what no other unit can");
    for (UnitDescription& unit : board.units) NESTRT_RETURN_IF_ERROR(add_unit(std::move(unit)));
    return {};
  }

  Status add_unit(UnitDescription unit) {
    NESTRT_RETURN_IF_ERROR(check(&unit));
    if (unit.kind == kHostUnit) {
      if (unit.instruction_set.empty()) {
        if (cpus_.empty()) cpus_.push_back(std::move(unit));
        return add_level(*find_level("host"));
      }
      NESTRT_ASSIGN_OR_RETURN(const InstructionSet set, instruction_set(unit.instruction_set));
      sets_.insert(set);
      cpus_.push_back(std::move(unit));
      return {};
    }
    if (!kinds_.insert(unit.kind).second)
      return Status(
          Code::kInvalidArgument,
          "unit '" + unit.kind + "' is named twice, by itself or by a board; a plan is for one configuration");
    others_.push_back(std::move(unit));
    return {};
  }

  Status add_level(const CpuLevel& level) {
    sets_.insert(level.sets.begin(), level.sets.end());
    return {};
  }

  TargetDescription build(std::string name) {
    if (sets_.empty()) static_cast<void>(add_level(*find_level("host")));
    TargetDescription target{std::move(name), {sets_.begin(), sets_.end()}, std::move(cpus_)};
    if (target.units.empty()) target.units.emplace_back().kind = kHostUnit;
    target.units.insert(target.units.end(), others_.begin(), others_.end());
    return target;
  }

 private:
  std::set<InstructionSet> sets_;
  std::set<std::string> kinds_;
  std::vector<UnitDescription> cpus_, others_;
};

Status add_item(const UnitRequest& item, Builder& builder) {
  if (const CpuLevel* const level = find_level(item.text)) return builder.add_level(*level);
  if (const auto path = tools::find_board(std::string(item.text))) {
    NESTRT_ASSIGN_OR_RETURN(tools::Board board, tools::read_board(*path, check));
    return builder.add_board(std::move(board));
  }
  if (item.transport)
    return Status(Code::kInvalidArgument, fmt::format("'{}': how a unit is reached is said where the plan is run; "
                                                      "leave out ':{}'",
                                                      item.text, *item.transport));
  UnitDescription unit;
  unit.kind = item.kind;
  const UnitKind* const kind = find_kind(unit.kind);
  unit.configuration = item.configuration.value_or(kind == nullptr ? "" : kind->default_configuration);
  return builder.add_unit(std::move(unit));
}

// `path`: of its file.
Result<TargetDescription> board_target(Result<tools::Board> board, const std::string& path) {
  if (!board) return board.error();
  const std::string name = board->name;
  Builder builder;
  NESTRT_ASSIGN_OR_RETURN(std::vector<std::string> profiles, tools::profiles_of(*board, path));
  NESTRT_RETURN_IF_ERROR(builder.add_board(std::move(*board)));
  TargetDescription target = builder.build(name);
  target.profiles = std::move(profiles);
  return target;
}

}  // namespace

Result<TargetDescription> parse_board(const std::string& yaml, const std::string& name) {
  return board_target(tools::parse_board(yaml, name, check), name);
}

Result<TargetDescription> read_target(const std::string& text) {
  Builder builder;
  const std::vector<UnitRequest> items = parse_unit_list(text);
  if (const auto path = tools::find_board(text); items.size() == 1 && path)
    return board_target(tools::read_board(*path, check), *path);
  for (const UnitRequest& item : items) {
    if (const Status status = add_item(item, builder); !status.ok())
      return status.with_context("target '" + text + "'");
  }
  return builder.build(text);
}

TargetDescription host_target() { return Builder().build("host"); }

}  // namespace nestrt::compiler
