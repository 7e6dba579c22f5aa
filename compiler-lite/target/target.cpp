#include "compiler-lite/target/target.h"

#include <algorithm>
#include <set>

#include "compiler-lite/resources.h"
#include "compiler-lite/yaml/reader.h"
#include "drivers/evta/isa/configuration.h"
#include "runtime/tools/files.h"

namespace nestrt::compiler {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxBytes = 1 << 20;
constexpr double kMaxClock = 10'000;
constexpr int64_t kMaxBus = 4096;

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
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    const size_t colon = std::min(item.find(':'), item.size());
    TargetUnit& unit = target.units.emplace_back();
    unit.kind = item.substr(0, colon);
    unit.configuration = item.substr(std::min(colon + 1, item.size()));
    if (unit.kind == "evta" && colon == item.size()) unit.configuration = evta::kConfigurations.front().name;
    begin = end + 1;
  }
  return complete(std::move(target));
}

Status check_keys(const YAML::Node& map, const std::set<std::string>& known) {
  std::set<std::string> seen;
  for (const auto& entry : map) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "a list or map as a key";
    if (known.count(key) == 0) return yaml::refuse(entry.first, "'" + key + "' means nothing here");
    if (!seen.insert(key).second) return yaml::refuse(entry.first, "'" + key + "' is there twice");
  }
  return {};
}

Result<TargetUnit> parse_unit(const YAML::Node& node) {
  if (!node.IsMap()) return yaml::refuse(node, "expected a unit's {unit, configuration, ...}");
  NESTRT_RETURN_IF_ERROR(check_keys(node, {"unit", "configuration", "instances", "clock_mhz", "bus_bits"}));
  TargetUnit unit;
  NESTRT_ASSIGN_OR_RETURN(unit.kind, yaml::member_text(node, "unit"));
  if (node["configuration"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(unit.configuration, yaml::member_text(node, "configuration"));
  }
  if (node["instances"].IsDefined()) {
    const int64_t most = unit.kind == "cpu" ? 1 : evta::kMaxInstances;
    NESTRT_ASSIGN_OR_RETURN(unit.instances, yaml::member_number(node, "instances", int64_t{1}, most));
  }
  if (node["clock_mhz"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(unit.clock_mhz, yaml::member_number(node, "clock_mhz", 1.0, kMaxClock));
  }
  if (node["bus_bits"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(unit.bus_bits, yaml::member_number(node, "bus_bits", int64_t{32}, kMaxBus));
    if ((unit.bus_bits & (unit.bus_bits - 1)) != 0)
      return yaml::refuse(node, "bus_bits: expected a power of two, got " + std::to_string(unit.bus_bits));
  }
  if (const Status status = check(&unit); !status.ok()) return yaml::refuse(node, status.message());
  return unit;
}

Result<Target> parse_root(const YAML::Node& root) {
  if (!root.IsMap()) return yaml::refuse(root, "expected a board's {board, units}");
  NESTRT_RETURN_IF_ERROR(check_keys(root, {"board", "units"}));
  Target target;
  NESTRT_ASSIGN_OR_RETURN(target.name, yaml::member_text(root, "board"));
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node units, yaml::member(root, "units"));
  if (!units.IsSequence()) return yaml::refuse(units, "units: expected a list");
  for (const YAML::Node& node : units) {
    NESTRT_ASSIGN_OR_RETURN(target.units.emplace_back(), parse_unit(node));
  }
  return complete(std::move(target));
}

Result<Target> read_board(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> content, tools::read_file(path, kMaxBytes));
  return parse_board({reinterpret_cast<const char*>(content.data()), content.size()}, path);
}

}  // namespace

Result<Target> parse_board(const std::string& yaml, const std::string& name) {
  return yaml::parse<Target>(yaml, name, &parse_root);
}

Result<Target> read_target(const std::string& text) {
  if (text == "host") return Target{text, {{.kind = "cpu"}}};
  if (text.ends_with(".yaml")) return read_board(text);
  if (const auto folder = find_resource("boards", "boards", text + ".yaml");
      folder && text.find('/') == std::string::npos && !text.empty())
    return read_board(*folder / (text + ".yaml"));
  auto list = parse_list(text);
  if (!list) return list.error().with_context("target '" + text + "' is neither a board nor a list of units");
  return list;
}

}  // namespace nestrt::compiler
