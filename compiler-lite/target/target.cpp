#include "compiler-lite/target/target.h"

#include <algorithm>
#include <set>

#include "drivers/evta/isa/configuration.h"
#include "runtime/core/parse.h"

namespace nestrt::compiler {
namespace {

// Takes the number of instances out of the configuration.
Status check(TargetUnit* unit) {
  if (unit->kind == "cpu") {
    if (unit->configuration.empty()) return {};
    return Status(Code::kInvalidArgument,
                  "unit 'cpu' has no configurations, not even '" + unit->configuration + "'");
  }
  if (unit->kind != "evta")
    return Status(Code::kInvalidArgument, "there is no unit '" + unit->kind + "'; nestc compiles for cpu and evta");
  NESTRT_ASSIGN_OR_RETURN(const evta::Instances instances, evta::parse_instances(unit->configuration));
  if (instances.count > 1 && unit->instances > 1)
    return Status(Code::kInvalidArgument, "instances are stated twice: in the configuration, and by themselves");
  unit->instances = std::max<int64_t>(unit->instances, instances.count);
  unit->configuration = instances.configuration->name;
  return {};
}

// Every program needs a CPU to fall back on.
Result<Target> complete(Target target) {
  std::set<std::string> kinds;
  for (TargetUnit& unit : target.units) {
    NESTRT_RETURN_IF_ERROR(check(&unit));
    if (!kinds.insert(unit.kind).second)
      return Status(Code::kInvalidArgument, "unit '" + unit.kind + "' is named twice; a plan is for one configuration");
  }
  if (kinds.count("cpu") == 0)
    return Status(Code::kInvalidArgument, "a target has a unit 'cpu'; it runs what no other unit can");
  const auto is_cpu = [](const TargetUnit& unit) { return unit.kind == "cpu"; };
  std::stable_partition(target.units.begin(), target.units.end(), is_cpu);
  return target;
}

Result<Target> parse_list(const std::string& text) {
  Target target{text, {}};
  for (const std::string_view item : split(text, ",")) {
    const size_t colon = std::min(item.find(':'), item.size());
    TargetUnit& unit = target.units.emplace_back();
    unit.kind = item.substr(0, colon);
    unit.configuration = item.substr(std::min(colon + 1, item.size()));
    if (unit.kind == "evta" && colon == item.size()) unit.configuration = evta::kConfigurations.front().name;
  }
  return complete(std::move(target));
}

Result<Target> target_of(Result<tools::Board> board) {
  if (!board) return board.error();
  return complete({std::move(board->name), std::move(board->units)});
}

}  // namespace

Result<Target> parse_board(const std::string& yaml, const std::string& name) {
  return target_of(tools::parse_board(yaml, name, check));
}

Result<Target> read_target(const std::string& text) {
  if (text == "host") {
    tools::BoardUnit cpu;
    cpu.kind = "cpu";
    return Target{text, {cpu}};
  }
  if (const auto path = tools::find_board(text)) return target_of(tools::read_board(*path, check));
  auto list = parse_list(text);
  if (!list) return list.error().with_context("target '" + text + "' is neither a board nor a list of units");
  return list;
}

}  // namespace nestrt::compiler
