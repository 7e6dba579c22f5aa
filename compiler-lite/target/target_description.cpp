// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/target/target_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "drivers/known_units.h"
#include "drivers/unit_list.h"
#include "tools/support/board/vta_config.h"

namespace nestrt::compiler {
namespace {

struct CpuLevel {
  std::string_view name;
  std::vector<InstructionSet> sets;
};

// Returns the known CPU levels. x86-64-v4 includes variants with and without dot products and tiles, because the level
// does not define them and most CPUs of that level have dot products.
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

Status check(UnitDescription* unit) {
  if (find_known_unit(unit->kind) != nullptr) return complete_unit(unit->kind, unit->configuration, unit->instances);
  return Status(Code::kInvalidArgument, "unknown board, CPU or unit '" + unit->kind +
                                            "'; a board is a .yaml file or the name of one in boards; CPUs are " +
                                            known_levels() + "; units are " + known_units());
}

// Collects the items of a target.
class Builder {
 public:
  Status add_board(tools::Board board) {
    const bool has_cpu = std::any_of(board.units.begin(), board.units.end(),
                                     [](const UnitDescription& unit) { return unit.kind == kHostUnit; });
    if (!has_cpu)
      return Status(Code::kInvalidArgument,
                    "a board requires a unit 'cpu' for the operators that no other unit can run");
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
      NESTRT_ASSIGN_OR_RETURN(const InstructionSet set, tools::parse_instruction_set(unit.instruction_set));
      sets_.insert(set);
      cpus_.push_back(std::move(unit));
      return {};
    }
    if (!kinds_.insert(unit.kind).second)
      return Status(Code::kInvalidArgument,
                    "unit '" + unit.kind +
                        "' is named twice, directly or by a board; a plan supports one configuration per unit");
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
  const auto path = tools::find_board(std::string(item.text));
  if (!path && path.error().code() == Code::kIncompatible) return path.error();  // known, but not supported
  if (path) {
    NESTRT_ASSIGN_OR_RETURN(tools::Board board, tools::read_board(*path, check));
    return builder.add_board(std::move(board));
  }
  if (item.transport)
    return Status(Code::kInvalidArgument,
                  fmt::format("'{}': the transport of a unit is specified when the plan is run; "
                              "omit ':{}'",
                              item.text, *item.transport));
  UnitDescription unit;
  unit.kind = item.kind;
  const KnownUnit* const known = find_known_unit(unit.kind);
  unit.configuration = item.configuration.value_or(known == nullptr ? "" : known->default_configuration);
  if (tools::is_vta_config(unit.configuration)) {
    NESTRT_ASSIGN_OR_RETURN(unit.configuration, tools::read_vta_config(unit.configuration));
  }
  return builder.add_unit(std::move(unit));
}

// `path`: path of the board's file.
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
