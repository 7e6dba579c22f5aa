#include "tools/common/cost_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "tools/common/files.h"
#include "tools/common/yaml_reader.h"

namespace nestrt::tools {
namespace {

constexpr std::string_view kFormat = "nestrt performance profile";
constexpr int kVersion = 1;
constexpr uint64_t kMaxBytes = 64 << 20;
constexpr size_t kMaxUnits = 256;
constexpr double kMaxValue = 1e12;
constexpr std::string_view kSources[] = {"unknown", "measured", "simulated", "modelled"};
constexpr std::string_view kChannels = " channels ";

// A column of the table: a unit whose costs have one source.
using Column = std::pair<UnitKey, CostSource>;

// The name of a work without its channels, and these: "0-16"; empty for all.
std::pair<std::string, std::string> split_channels(const std::string& work) {
  const size_t at = work.rfind(kChannels);
  if (at == std::string::npos || work.find_first_not_of("0123456789-", at + kChannels.size()) != std::string::npos)
    return {work, ""};
  return {work.substr(0, at), work.substr(at + kChannels.size())};
}

// --- Writing ---------------------------------------------------------------------------------------------------------

using Row = std::vector<std::optional<double>>;                  // by column
using Rows = std::map<std::string, std::map<std::string, Row>>;  // by work and channels

std::vector<Column> columns_of(const CostTable& costs) {
  std::map<Column, int> columns;
  for (const auto& [unit, works] : costs.units())
    for (const auto& [work, cost] : works) columns[{unit, cost.source}];
  for (const auto& [unit, overhead] : costs.overheads())
    if (!costs.units().contains(unit)) columns[{unit, CostSource::kUnknown}];
  std::vector<Column> result;
  for (const auto& [column, unused] : columns) result.push_back(column);
  return result;
}

Rows rows_of(const CostTable& costs, const std::vector<Column>& columns) {
  Rows rows;
  for (const auto& [unit, works] : costs.units()) {
    for (const auto& [work, cost] : works) {
      const auto [whole, channels] = split_channels(work);
      Row& row = rows[whole][channels];
      row.resize(columns.size());
      const auto column = std::find(columns.begin(), columns.end(), Column(unit, cost.source));
      row[static_cast<size_t>(column - columns.begin())] = cost.microseconds;
    }
  }
  return rows;
}

std::string quoted(std::string_view text) {
  YAML::Emitter out;
  out << YAML::DoubleQuoted << std::string(text);
  return out.c_str();
}

std::string format(const Row& row) {
  std::string text;
  for (const std::optional<double>& value : row)
    text += (text.empty() ? "[" : ", ") + (value ? fmt::format("{:.5g}", *value) : std::string("~"));
  return text + "]";
}

std::string format(const Column& column, const CostTable& costs) {
  const auto& [unit, source] = column;
  const UnitOverhead overhead = costs.overhead(unit);
  return fmt::format(
      "  - {{unit: {}, configuration: {}, threads: {}, source: {}, start_us: {:.5g}, finish_us: {:.5g}, mb_per_s: "
      "{:.5g}, lane_us: {:.5g}}}\n",
      quoted(unit.kind), quoted(unit.fingerprint), unit.threads, kSources[static_cast<size_t>(source)],
      overhead.start_us, overhead.finish_us, overhead.mb_per_s, overhead.lane_us);
}

// --- Reading ---------------------------------------------------------------------------------------------------------

Result<CostSource> parse_source(const YAML::Node& node) {
  NESTRT_ASSIGN_OR_RETURN(const std::string text, yaml::member_text(node, "source"));
  for (size_t i = 0; i < std::size(kSources); ++i)
    if (kSources[i] == text) return static_cast<CostSource>(i);
  return yaml::refuse(node, "source: expected unknown, measured, simulated or modelled, got '" + text + "'");
}

Result<Column> parse_column(const YAML::Node& node, CostTable& costs) {
  if (!node.IsMap()) return yaml::refuse(node, "units: expected {unit, configuration, threads, source, ...}");
  NESTRT_RETURN_IF_ERROR(
      yaml::check_keys(node, {"unit", "configuration", "threads", "source", "start_us", "finish_us", "mb_per_s",
                              "lane_us"}));
  Column column;
  auto& [unit, source] = column;
  NESTRT_ASSIGN_OR_RETURN(unit.kind, yaml::member_text(node, "unit"));
  NESTRT_ASSIGN_OR_RETURN(unit.fingerprint, yaml::member_text(node, "configuration"));
  NESTRT_ASSIGN_OR_RETURN(unit.threads, yaml::member_number(node, "threads", 1, 1024));
  NESTRT_ASSIGN_OR_RETURN(source, parse_source(node));
  UnitOverhead overhead;
  NESTRT_ASSIGN_OR_RETURN(overhead.start_us, yaml::member_number(node, "start_us", 0.0, kMaxValue));
  NESTRT_ASSIGN_OR_RETURN(overhead.finish_us, yaml::member_number(node, "finish_us", 0.0, kMaxValue));
  NESTRT_ASSIGN_OR_RETURN(overhead.mb_per_s, yaml::member_number(node, "mb_per_s", 0.0, kMaxValue));
  if (node["lane_us"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(overhead.lane_us, yaml::member_number(node, "lane_us", 0.0, kMaxValue));
  }
  costs.set_overhead(unit, overhead);
  return column;
}

Status parse_row(const YAML::Node& node, const std::string& work, const std::vector<Column>& columns,
                 CostTable& costs) {
  if (!node.IsSequence() || node.size() != columns.size())
    return yaml::refuse(node, fmt::format("expected {} times, as there are units", columns.size()));
  for (size_t i = 0; i < columns.size(); ++i) {
    if (node[i].IsNull()) continue;
    const auto& [unit, source] = columns[i];
    NESTRT_ASSIGN_OR_RETURN(const double microseconds, yaml::number(node[i], "a time", 0.0, kMaxValue));
    if (costs.find(unit, work) != nullptr) return yaml::refuse(node, "a work is there twice for a unit");
    costs.set(unit, work, {microseconds, source});
  }
  return {};
}

Status parse_work(const YAML::Node& node, const std::vector<Column>& columns, CostTable& costs) {
  if (!node.IsMap()) return yaml::refuse(node, "works: expected {work, us, channels}");
  NESTRT_RETURN_IF_ERROR(yaml::check_keys(node, {"work", "us", "channels"}));
  NESTRT_ASSIGN_OR_RETURN(const std::string work, yaml::member_text(node, "work"));
  const bool plain = std::all_of(work.begin(), work.end(), [](unsigned char c) { return c >= ' '; });
  if (work.empty() || !plain) return yaml::refuse(node, "work: expected one line of text");
  if (node["us"].IsDefined()) NESTRT_RETURN_IF_ERROR(parse_row(node["us"], work, columns, costs));
  const YAML::Node parts = node["channels"];
  if (!parts.IsDefined()) return {};
  if (!parts.IsMap()) return yaml::refuse(parts, "channels: expected {BEGIN-END: [times], ...}");
  for (const auto& entry : parts) {
    if (!entry.first.IsScalar() || split_channels(std::string(kChannels) + entry.first.Scalar()).second.empty())
      return yaml::refuse(entry.first, "channels: expected BEGIN-END");
    const std::string name = work + std::string(kChannels) + entry.first.Scalar();
    NESTRT_RETURN_IF_ERROR(parse_row(entry.second, name, columns, costs));
  }
  return {};
}

Result<CostProfile> parse_root(const YAML::Node& root) {
  if (!root.IsMap()) return yaml::refuse(root, "no profile; make one: nestrt profile PLAN -o PROFILE.yaml");
  NESTRT_RETURN_IF_ERROR(yaml::check_keys(root, {"format", "version", "board", "units", "works"}));
  NESTRT_ASSIGN_OR_RETURN(const std::string format, yaml::member_text(root, "format"));
  if (format != kFormat) return yaml::refuse(root, fmt::format("format: expected '{}', got '{}'", kFormat, format));
  NESTRT_RETURN_IF_ERROR(yaml::member_number(root, "version", kVersion, kVersion).error());
  CostProfile profile;
  NESTRT_ASSIGN_OR_RETURN(profile.board, yaml::member_text(root, "board"));
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node units, yaml::member(root, "units"));
  if (!units.IsSequence() || units.size() > kMaxUnits)
    return yaml::refuse(units, fmt::format("units: expected a list of at most {}", kMaxUnits));
  std::vector<Column> columns;
  for (const YAML::Node& node : units) {
    NESTRT_ASSIGN_OR_RETURN(columns.emplace_back(), parse_column(node, profile.costs));
  }
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node works, yaml::member(root, "works"));
  if (!works.IsSequence()) return yaml::refuse(works, "works: expected a list");
  for (const YAML::Node& node : works) NESTRT_RETURN_IF_ERROR(parse_work(node, columns, profile.costs));
  return profile;
}

}  // namespace

std::string format_cost_profile(const CostProfile& profile) {
  const std::vector<Column> columns = columns_of(profile.costs);
  std::string text = fmt::format("format: {}\nversion: {}\nboard: {}\nunits:{}\n", kFormat, kVersion,
                                 quoted(profile.board), columns.empty() ? " []" : "");
  for (const Column& column : columns) text += format(column, profile.costs);
  const Rows rows = rows_of(profile.costs, columns);
  text += rows.empty() ? "works: []\n" : "works:\n";
  for (const auto& [work, by_channels] : rows) {
    text += fmt::format("  - work: {}\n", quoted(work));
    if (const auto whole = by_channels.find(""); whole != by_channels.end())
      text += fmt::format("    us: {}\n", format(whole->second));
    if (by_channels.size() == by_channels.count("")) continue;
    text += "    channels:\n";
    for (const auto& [channels, row] : by_channels)
      if (!channels.empty()) text += fmt::format("      {}: {}\n", channels, format(row));
  }
  return text;
}

Status write_cost_profile(const std::string& path, const CostProfile& profile) {
  return write_text(path, format_cost_profile(profile));
}

Result<CostProfile> parse_cost_profile(const std::string& text, std::string_view name) {
  return yaml::parse<CostProfile>(text, name, &parse_root);
}

Result<CostProfile> read_cost_profile(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> content, read_file(path, kMaxBytes));
  return parse_cost_profile({reinterpret_cast<const char*>(content.data()), content.size()}, path);
}

}  // namespace nestrt::tools
