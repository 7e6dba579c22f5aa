// SPDX-License-Identifier: Apache-2.0
#include "tools/support/board/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

#include "nestrt/log.h"
#include "tools/support/board/vta_config.h"
#include "tools/support/report/resources.h"
#include "tools/support/text/files.h"
#include "tools/support/text/printable.h"
#include "tools/support/text/yaml_reader.h"

namespace nestrt::tools {
namespace {

constexpr uint64_t kMaxBoardBytes = 1 << 20;
constexpr int64_t kMaxInstances = 4;
// Limits the reading time: every profile is read completely and searched for every unit.
constexpr size_t kMaxUnits = 16, kMaxProfiles = 16;
constexpr int64_t kMaxBus = 512;  // the widest port for which the tiling search ends within minutes
constexpr int64_t kMaxThreads = 1024;
constexpr int64_t kMaxCacheKib = 1 << 20;
constexpr int64_t kMinLine = 16, kMaxLine = 1024;  // bytes
constexpr double kMaxOverhead = 1e6;               // 1 second
constexpr double kMaxRate = 1e6;                   // 1 TB/s
constexpr double kMinPerUs = 1e-3;
constexpr size_t kMaxKinds = 256;

// Does not change `value` if the map lacks the key.
template <typename T>
Status read_number(const YAML::Node& map, const std::string& key, T low, T high, T& value) {
  if (!map[key].IsDefined()) return {};
  NESTRT_ASSIGN_OR_RETURN(value, yaml::member_number(map, key, low, high));
  return {};
}

// Reads a rate in MB/s, which equals bytes per microsecond. Accepts 0, which the caller interprets.
Status read_rate(const YAML::Node& map, const std::string& key, double& value) {
  NESTRT_RETURN_IF_ERROR(read_number(map, key, 0.0, kMaxRate, value));
  if (value == 0 || value >= kMinPerUs) return {};
  return yaml::refuse(map[key], fmt::format("{}: expected 0, or {} to {}", key, kMinPerUs, kMaxRate));
}

Status read_text(const YAML::Node& map, const std::string& key, std::string& value) {
  if (!map[key].IsDefined()) return {};
  NESTRT_ASSIGN_OR_RETURN(value, yaml::member_text(map, key, UnitKey::kMaxBytes));
  return {};
}

bool is_power_of_two(int64_t number) { return (number & (number - 1)) == 0; }

Status read_cache(const YAML::Node& caches, const std::string& key, int64_t& bytes) {
  NESTRT_ASSIGN_OR_RETURN(const int64_t kib, yaml::member_number(caches, key, int64_t{1}, kMaxCacheKib));
  bytes = kib * 1024;
  return {};
}

// Requires either all three values or none of them.
Status read_caches(const YAML::Node& unit, Caches& caches) {
  const YAML::Node node = unit["caches"];
  if (!node.IsDefined()) return {};
  if (!node.IsMap()) return yaml::refuse(node, "caches: expected {l1d_kib, l2_kib, line_bytes}");
  NESTRT_RETURN_IF_ERROR(yaml::check_keys(node, {"l1d_kib", "l2_kib", "line_bytes"}));
  NESTRT_RETURN_IF_ERROR(read_cache(node, "l1d_kib", caches.l1d_bytes));
  NESTRT_RETURN_IF_ERROR(read_cache(node, "l2_kib", caches.l2_bytes));
  NESTRT_ASSIGN_OR_RETURN(caches.line_bytes, yaml::member_number(node, "line_bytes", kMinLine, kMaxLine));
  if (!is_power_of_two(caches.line_bytes))
    return yaml::refuse(node, fmt::format("line_bytes: expected a power of two, got {}", caches.line_bytes));
  if (caches.l1d_bytes > caches.l2_bytes) return yaml::refuse(node, "caches: expected an l2_kib of at least l1d_kib");
  return {};
}

Status read_kinds(const YAML::Node& list, HostRates& rates) {
  if (!list.IsMap() || list.size() > kMaxKinds)
    return yaml::refuse(list, fmt::format("kinds: expected at most {} kinds of work", kMaxKinds));
  for (const auto& entry : list) {
    if (!entry.second.IsMap()) return yaml::refuse(entry.second, "expected {begin_us, work_per_us, results_per_us}");
    NESTRT_RETURN_IF_ERROR(yaml::check_keys(entry.second, {"begin_us", "work_per_us", "results_per_us"}));
    const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : "";
    if (!is_kind_of_work(name))
      return yaml::refuse(entry.first, fmt::format("kinds: unknown kind of work '{}'", printable(name)));
    if (rates.kinds.contains(name)) return yaml::refuse(entry.first, fmt::format("kinds: '{}' is listed twice", name));
    WorkRates& kind = rates.kinds[name];
    NESTRT_RETURN_IF_ERROR(read_number(entry.second, "begin_us", 0.0, kMaxOverhead, kind.begin_us));
    NESTRT_RETURN_IF_ERROR(read_number(entry.second, "work_per_us", kMinPerUs, kMaxRate, kind.work_per_us));
    NESTRT_RETURN_IF_ERROR(read_number(entry.second, "results_per_us", kMinPerUs, kMaxRate, kind.results_per_us));
  }
  if (!rates.kinds.contains(HostRates::kOther)) return yaml::refuse(list, "kinds: 'other' is missing");
  return {};
}

// The core's cycles are independent of the clock; the memory's rate is not scaled.
void scale(HostRates& rates, double factor) {
  rates.fork_us /= factor;
  for (auto& [name, kind] : rates.kinds) {
    kind.begin_us /= factor;
    kind.work_per_us *= factor;
    kind.results_per_us *= factor;
  }
}

Status read_estimates(const YAML::Node& unit, double clock_mhz, HostRates& rates) {
  const YAML::Node node = unit["estimates"];
  if (!node.IsDefined()) return {};
  if (!node.IsMap()) return yaml::refuse(node, "estimates: expected {kinds, ...}");
  NESTRT_RETURN_IF_ERROR(
      yaml::check_keys(node, {"clock_mhz", "memory_bytes_per_us", "cache_bytes", "fork_us", "kinds"}));
  NESTRT_RETURN_IF_ERROR(read_number(node, "memory_bytes_per_us", kMinPerUs, kMaxRate, rates.memory_bytes_per_us));
  NESTRT_RETURN_IF_ERROR(read_number(node, "cache_bytes", 0.0, kMaxCacheKib * 1024.0, rates.cache_bytes));
  NESTRT_RETURN_IF_ERROR(read_number(node, "fork_us", 0.0, kMaxOverhead, rates.fork_us));
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node kinds, yaml::member(node, "kinds"));
  NESTRT_RETURN_IF_ERROR(read_kinds(kinds, rates));
  double fitted_mhz = clock_mhz;
  NESTRT_RETURN_IF_ERROR(read_number(node, "clock_mhz", 1.0, kMaxClockMhz, fitted_mhz));
  if (clock_mhz > 0) scale(rates, clock_mhz / fitted_mhz);
  return {};
}

Result<BoardUnit> parse_unit(const YAML::Node& node, const UnitCheck& check) {
  if (!node.IsMap()) return yaml::refuse(node, "expected a unit's {unit, configuration, ...}");
  NESTRT_RETURN_IF_ERROR(
      yaml::check_keys(node, {"unit", "configuration", "instances", "clock_mhz", "bus_bits", "threads",
                              "instruction_set", "caches", "estimates", "start_us", "finish_us", "mb_per_s", "lane_us",
                              "awake_us", "wake_us", "kernel_us", "launch_us", "widen_mb_per_s"}));
  BoardUnit unit;
  NESTRT_ASSIGN_OR_RETURN(unit.kind, yaml::member_text(node, "unit", UnitKey::kMaxBytes));
  NESTRT_RETURN_IF_ERROR(read_text(node, "configuration", unit.configuration));
  NESTRT_RETURN_IF_ERROR(read_text(node, "instruction_set", unit.instruction_set));
  unit.is_host = unit.kind == "cpu";
  const int64_t most = unit.is_host ? 1 : kMaxInstances;
  NESTRT_RETURN_IF_ERROR(read_number(node, "instances", int64_t{1}, most, unit.instances));
  NESTRT_RETURN_IF_ERROR(read_number(node, "clock_mhz", 1.0, kMaxClockMhz, unit.clock_mhz));
  NESTRT_RETURN_IF_ERROR(read_number(node, "bus_bits", int64_t{32}, kMaxBus, unit.bus_bits));
  if (!is_power_of_two(unit.bus_bits))
    return yaml::refuse(node, fmt::format("bus_bits: expected a power of two, got {}", unit.bus_bits));
  NESTRT_RETURN_IF_ERROR(read_number(node, "threads", int64_t{1}, kMaxThreads, unit.threads));
  NESTRT_RETURN_IF_ERROR(read_caches(node, unit.caches));
  if (!unit.is_host && unit.caches.line_bytes != 0)
    return yaml::refuse(node, "caches: only a unit 'cpu' supports this key");
  NESTRT_RETURN_IF_ERROR(read_estimates(node, unit.clock_mhz, unit.estimates));
  if (!unit.is_host && !unit.estimates.kinds.empty())
    return yaml::refuse(node, "estimates: only a unit 'cpu' supports this key");
  NESTRT_RETURN_IF_ERROR(read_number(node, "start_us", 0.0, kMaxOverhead, unit.overhead.start_us));
  NESTRT_RETURN_IF_ERROR(read_number(node, "finish_us", 0.0, kMaxOverhead, unit.overhead.finish_us));
  NESTRT_RETURN_IF_ERROR(read_rate(node, "mb_per_s", unit.overhead.mb_per_s));
  NESTRT_RETURN_IF_ERROR(read_number(node, "lane_us", 0.0, kMaxOverhead, unit.overhead.lane_us));
  NESTRT_RETURN_IF_ERROR(read_number(node, "awake_us", 0.0, kMaxOverhead, unit.awake_us));
  if (!unit.is_host && node["wake_us"].IsDefined())
    return yaml::refuse(node, "wake_us: only a unit 'cpu' supports this key");
  NESTRT_RETURN_IF_ERROR(read_number(node, "wake_us", 0.0, kMaxOverhead, unit.wake_us));
  if (!unit.is_host && node["kernel_us"].IsDefined())
    return yaml::refuse(node, "kernel_us: only a unit 'cpu' supports this key");
  NESTRT_RETURN_IF_ERROR(read_number(node, "kernel_us", 0.0, kMaxOverhead, unit.kernel_us));
  NESTRT_RETURN_IF_ERROR(read_number(node, "launch_us", 0.0, kMaxOverhead, unit.launch_us));
  if (unit.is_host && unit.launch_us > 0) return yaml::refuse(node, "launch_us: not supported for a unit 'cpu'");
  NESTRT_RETURN_IF_ERROR(read_rate(node, "widen_mb_per_s", unit.widen_mb_per_s));
  if (unit.is_host && unit.widen_mb_per_s > 0)
    return yaml::refuse(node, "widen_mb_per_s: not supported for a unit 'cpu'");
  if (!unit.instruction_set.empty())
    if (const auto set = parse_instruction_set(unit.instruction_set); !set)
      return yaml::refuse(node, set.error().message());
  if (const Status status = check(&unit); !status.ok()) return yaml::refuse(node, status.message());
  return unit;
}

Result<std::vector<BoardUnit>> parse_units(const YAML::Node& list, const UnitCheck& check) {
  if (!list.IsSequence() || list.size() > kMaxUnits)
    return yaml::refuse(list, fmt::format("units: expected a list of at most {}", kMaxUnits));
  std::vector<BoardUnit> units;
  for (const YAML::Node& node : list) {
    NESTRT_ASSIGN_OR_RETURN(BoardUnit unit, parse_unit(node, check));
    if (std::ranges::any_of(units, [&](const BoardUnit& other) { return other.kind == unit.kind; }))
      return yaml::refuse(node, fmt::format("unit '{}' is listed twice; use 'instances' for several equal units",
                                            printable(unit.kind)));
    units.push_back(std::move(unit));
  }
  return units;
}

Result<std::vector<std::string>> parse_profiles(const YAML::Node& list) {
  if (!list.IsSequence() || list.size() > kMaxProfiles)
    return yaml::refuse(list, fmt::format("profiles: expected a list of at most {} files", kMaxProfiles));
  std::vector<std::string> files;
  for (const YAML::Node& node : list) {
    if (!node.IsScalar()) return yaml::refuse(node, "profiles: expected a list of files");
    if (std::find(files.begin(), files.end(), node.Scalar()) != files.end())
      return yaml::refuse(node, fmt::format("profiles: '{}' is listed twice", node.Scalar()));
    files.push_back(node.Scalar());
  }
  return files;
}

Status read_memory(const YAML::Node& root, double& mb_per_s) {
  const YAML::Node node = root["memory"];
  if (!node.IsDefined()) return {};
  if (!node.IsMap()) return yaml::refuse(node, "memory: expected {mb_per_s}");
  NESTRT_RETURN_IF_ERROR(yaml::check_keys(node, {"mb_per_s"}));
  NESTRT_ASSIGN_OR_RETURN(mb_per_s, yaml::member_number(node, "mb_per_s", 1.0, kMaxRate));
  return {};
}

Result<Board> parse_root(const YAML::Node& root, const UnitCheck& check) {
  if (!root.IsMap()) return yaml::refuse(root, "expected a board's {board, units}");
  NESTRT_RETURN_IF_ERROR(yaml::check_keys(root, {"board", "memory", "units", "profiles"}));
  Board board;
  NESTRT_ASSIGN_OR_RETURN(board.name, yaml::member_text(root, "board"));
  NESTRT_RETURN_IF_ERROR(read_memory(root, board.memory_mb_per_s));
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node units, yaml::member(root, "units"));
  NESTRT_ASSIGN_OR_RETURN(board.units, parse_units(units, check));
  const YAML::Node profiles = root["profiles"];
  if (!profiles.IsDefined()) return board;
  NESTRT_ASSIGN_OR_RETURN(board.profiles, parse_profiles(profiles));
  return board;
}

// --- Boards with a base.

// Returns `changes` and the members of `base` that it lacks.
YAML::Node merge_members(const YAML::Node& base, const YAML::Node& changes) {
  YAML::Node result = YAML::Clone(base);
  for (const auto& member : changes) result[member.first.Scalar()] = member.second;
  return result;
}

// Merges the units of the same kind. Leaves anything but a list of maps to the parser.
YAML::Node merge_units(const YAML::Node& base, const YAML::Node& changes) {
  if (!base.IsSequence() || !changes.IsSequence()) return changes;
  YAML::Node result(YAML::NodeType::Sequence);
  const auto find = [](const YAML::Node& list, const YAML::Node& unit) {
    for (const YAML::Node& other : list)
      if (other.IsMap() && other["unit"].IsDefined() && other["unit"].IsScalar() && unit.IsMap() &&
          unit["unit"].IsDefined() && unit["unit"].IsScalar() && other["unit"].Scalar() == unit["unit"].Scalar())
        return other;
    return YAML::Node(YAML::NodeType::Undefined);
  };
  for (const YAML::Node& unit : base) {
    const YAML::Node changed = find(changes, unit);
    result.push_back(changed.IsDefined() ? merge_members(unit, changed) : YAML::Clone(unit));
  }
  for (const YAML::Node& unit : changes)
    if (!find(base, unit).IsDefined()) result.push_back(unit);
  return result;
}

Status check_changes(const YAML::Node& root) {
  NESTRT_RETURN_IF_ERROR(yaml::check_keys(root, {"base", "board", "memory", "units", "profiles"}));
  const YAML::Node units = root["units"];
  if (!units.IsDefined() || !units.IsSequence()) return {};
  std::set<std::string> kinds;
  for (const YAML::Node& unit : units)
    if (unit.IsMap() && unit["unit"].IsDefined() && unit["unit"].IsScalar() &&
        !kinds.insert(unit["unit"].Scalar()).second)
      return yaml::refuse(unit, fmt::format("unit '{}' is listed twice", printable(unit["unit"].Scalar())));
  return {};
}

// Returns the path of a board's base, or an empty path.
Result<std::string> base_of(const YAML::Node& root, const std::string& path) {
  if (!root.IsMap() || !root["base"].IsDefined()) return std::string();
  NESTRT_ASSIGN_OR_RETURN(const std::string base, yaml::member_text(root, "base"));
  if (!base.ends_with(".yaml")) return find_board(base);
  return (std::filesystem::path(path).parent_path() / base).string();
}

Result<std::string> read_board_text(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> content, read_file(path, kMaxBoardBytes));
  return std::string(reinterpret_cast<const char*>(content.data()), content.size());
}

Result<YAML::Node> with_base(const YAML::Node& root, const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const std::string base_path, base_of(root, path));
  if (base_path.empty()) return root;
  NESTRT_RETURN_IF_ERROR(check_changes(root));
  NESTRT_ASSIGN_OR_RETURN(const std::string text, read_board_text(base_path));
  const auto merge = [&](const YAML::Node& base) -> Result<YAML::Node> {
    if (!base.IsMap() || base["base"].IsDefined())
      return yaml::refuse(base, "expected a board that does not have a base itself");
    YAML::Node merged = merge_members(base, root);
    merged.remove("base");
    if (root["units"].IsDefined() && base["units"].IsDefined())
      merged["units"] = merge_units(base["units"], root["units"]);
    return merged;
  };
  return yaml::parse<YAML::Node>(text, base_path, merge);
}

std::vector<std::string> boards_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

// Looks among the bundled boards.
std::optional<std::string> find_resource_profile(const std::string& file) {
  const auto folder = find_resource("boards", "boards", "zcu102.yaml");
  if (!folder || std::filesystem::path(file).is_absolute()) return std::nullopt;
  std::error_code error;
  const std::filesystem::path path = *folder / file;
  return std::filesystem::exists(path, error) ? std::optional(path.string()) : std::nullopt;
}

struct UnsupportedBoard {
  std::string_view name, reason;
};

constexpr std::string_view kIs32Bit =
    "its Zynq-7000 has 32-bit Cortex-A9 cores, but nestrt requires a 64-bit processor (aarch64 or x86-64)";
constexpr std::string_view kHasNoDesign =
    "VTA has no block design for the NoC of a Versal, and no costs were measured on its Cortex-A72; describe your "
    "design in "
    "a board file with 'base: zcu102.yaml'";
// Boards that VTA supports but nestrt does not.
constexpr UnsupportedBoard kUnsupportedBoards[] = {
    {"pynq-z1", kIs32Bit}, {"pynq-z2", kIs32Bit}, {"vck190", kHasNoDesign}};

bool is_of(const BoardUnit& unit, const UnitKey& key) {
  const std::string& configuration = unit.is_host ? unit.instruction_set : unit.configuration;
  return unit.kind == key.kind && (configuration.empty() || configuration == key.configuration);
}

// Returns 0 if the board does not specify the clock.
double clock_of(const std::vector<BoardUnit>& units, const UnitKey& key) {
  const auto unit = std::ranges::find_if(units, [&](const BoardUnit& candidate) { return is_of(candidate, key); });
  return unit == units.end() ? 0 : unit->clock_mhz;
}

// Compares clocks with a tolerance, because Linux and board files round clocks differently.
bool is_about(double a, double b) { return std::abs(a - b) <= 0.01 * b; }

CostTable at_clocks_of(const std::vector<BoardUnit>& units, const CostTable& profile, const std::string& path) {
  CostTable result = profile;
  std::set<std::string> told;
  for (const auto& [key, works] : profile.units()) {
    const double found = profile.clock_mhz(key), wanted = clock_of(units, key);
    if (found == 0 || wanted == 0 || is_about(found, wanted)) continue;
    for (const auto& [work, cost] : works) result.set(key, work, {cost.microseconds * found / wanted, cost.source});
    result.set_clock(key, wanted);
    if (told.insert(key.kind).second)
      log(LogLevel::kWarning, fmt::format("{}: costs of '{}' at {} MHz, scaled to the board's {} MHz including memory "
                                          "accesses; run nestrt profile on the board for exact ones",
                                          path, key.kind, found, wanted));
  }
  return result;
}

// Replaces the name of a vta_config.json, relative to the board's file, by the configuration that it states.
Status read_configuration_file(const std::string& board_path, BoardUnit& unit) {
  if (!is_vta_config(unit.configuration)) return {};
  unit.configuration_file = (std::filesystem::path(board_path).parent_path() / unit.configuration).string();
  NESTRT_ASSIGN_OR_RETURN(unit.configuration, read_vta_config(unit.configuration_file));
  return {};
}

}  // namespace

Result<Board> parse_board(const std::string& yaml, const std::string& name, const UnitCheck& check) {
  return yaml::parse<Board>(yaml, name, [&](const YAML::Node& root) { return parse_root(root, check); });
}

Result<Board> read_board(const std::string& path, const UnitCheck& check) {
  NESTRT_ASSIGN_OR_RETURN(const std::string text, read_board_text(path));
  return yaml::parse<Board>(text, path, [&](const YAML::Node& root) -> Result<Board> {
    NESTRT_ASSIGN_OR_RETURN(const YAML::Node whole, with_base(root, path));
    return parse_root(whole, [&](BoardUnit* unit) {
      NESTRT_RETURN_IF_ERROR(read_configuration_file(path, *unit));
      return check(unit);
    });
  });
}

// Rejects a file with two names, so that each file is read only once.
Result<std::vector<std::string>> profiles_of(const Board& board, const std::string& board_path) {
  std::vector<std::string> paths;
  for (const std::string& file : board.profiles) {
    std::error_code error;
    std::string path = (std::filesystem::path(board_path).parent_path() / file).string();
    if (!std::filesystem::exists(path, error)) path = find_resource_profile(file).value_or(path);
    const auto is_same = [&](const std::string& other) { return std::filesystem::equivalent(path, other, error); };
    const auto other = std::find_if(paths.begin(), paths.end(), is_same);
    if (other != paths.end())
      return Status(Code::kInvalidArgument, fmt::format("profiles: '{}' is the same file as '{}'", path, *other));
    paths.push_back(path);
  }
  return paths;
}

Result<InstructionSet> parse_instruction_set(std::string_view text) {
  std::string known;
  for (int set = 0; set < kNumInstructionSets; ++set) {
    const std::string_view set_name = name(static_cast<InstructionSet>(set));
    if (set_name == text) return static_cast<InstructionSet>(set);
    known.append(set == 0 ? "" : ", ").append(set_name);
  }
  return Status(Code::kInvalidArgument, "unknown instruction set '" + std::string(text) + "'; available: " + known);
}

std::vector<std::string> files_of_board(const std::string& board_path) {
  std::vector<std::string> files{board_path};
  const auto add_base = [&](const YAML::Node& root) -> Result<std::string> { return base_of(root, board_path); };
  const auto text = read_board_text(board_path);
  const auto base = text ? yaml::parse<std::string>(*text, board_path, add_base) : Result<std::string>(text.error());
  if (base && !base->empty()) files.push_back(*base);
  const auto board = read_board(board_path, [](BoardUnit*) { return Status(); });
  if (!board) return files;  // the error is reported when the file is read
  for (const BoardUnit& unit : board->units)
    if (!unit.configuration_file.empty()) files.push_back(unit.configuration_file);
  if (const auto costs = profiles_of(*board, board_path)) files.insert(files.end(), costs->begin(), costs->end());
  return files;
}

Result<CostTable> read_profiles(const std::vector<std::string>& paths, const std::vector<BoardUnit>& units) {
  CostTable costs;
  for (const std::string& path : paths) {
    NESTRT_ASSIGN_OR_RETURN(const CostTable profile, read_costs(path));
    costs.merge(at_clocks_of(units, profile, path));
  }
  return costs;
}

Result<std::string> find_board(const std::string& text) {
  if (text.ends_with(".yaml")) return text;
  for (const UnsupportedBoard& board : kUnsupportedBoards)
    if (text == board.name)
      return Status(Code::kIncompatible, fmt::format("board '{}' is not supported: {}", text, board.reason));
  // Always a bundled board.
  NESTRT_ASSIGN_OR_RETURN(const std::filesystem::path folder, find_resource("boards", "boards", "zcu102.yaml"));
  const std::vector<std::string> boards = boards_in(folder);
  if (std::find(boards.begin(), boards.end(), text) == boards.end())
    return Status(Code::kNotFound, fmt::format("unknown board '{}'; available: {}, or the path of a board file (.yaml)",
                                               text, fmt::join(boards, ", ")));
  return (folder / (text + ".yaml")).string();
}

}  // namespace nestrt::tools
