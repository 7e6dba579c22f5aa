// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/tuning/search_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "tools/support/text/files.h"
#include "tools/support/text/yaml_reader.h"

namespace nestrt::compiler {
namespace {

using tools::yaml::member, tools::yaml::member_number, tools::yaml::member_text, tools::yaml::refuse;

constexpr std::string_view kFormat = "nestrt quantization search";
constexpr int kVersion = 1;
constexpr uint64_t kMaxSearchBytes = 64 << 20;
constexpr uint64_t kMaxCount = uint64_t{1} << 53;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename T>
void emit(YAML::Emitter& out, const char* key, T number) {
  out << YAML::Key << key << YAML::Value << fmt::format("{}", number);
}

void emit_text(YAML::Emitter& out, const char* key, const std::string& text) {
  out << YAML::Key << key << YAML::Value << YAML::DoubleQuoted << text;
}

void emit(YAML::Emitter& out, const TriedOptions& tried) {
  const Score& score = tried.score;
  out << YAML::BeginMap;
  emit_text(out, "options", tried.options);
  emit(out, "samples", score.samples);
  emit(out, "rows", score.rows);
  emit(out, "agreeing", score.agreeing);
  if (score.right) emit(out, "right", *score.right);
  if (score.right_in_f32) emit(out, "right_in_f32", *score.right_in_f32);
  emit(out, "decibel", score.decibel);
  emit(out, "f32_share", score.f32_share);
  emit(out, "plan_bytes", score.plan_bytes);
  out << YAML::EndMap;
}

void emit(YAML::Emitter& out, const LayerRanking& ranking) {
  out << YAML::BeginMap;
  emit_text(out, "options", ranking.options);
  out << YAML::Key << "layers" << YAML::Value << YAML::BeginSeq;
  for (const RankedLayer& layer : ranking.layers) {
    out << YAML::Flow << YAML::BeginMap;
    emit_text(out, "name", layer.name);
    emit(out, "decibel", layer.decibel);
    emit(out, "mac_share", layer.mac_share);
    out << YAML::EndMap;
  }
  out << YAML::EndSeq << YAML::EndMap;
}

void emit(YAML::Emitter& out, const SearchRecord& record);

template <typename T>
void emit_list(YAML::Emitter& out, const char* key, const std::vector<T>& list) {
  out << YAML::Key << key << YAML::Value << YAML::BeginSeq;
  for (const T& each : list) emit(out, each);
  out << YAML::EndSeq;
}

void emit(YAML::Emitter& out, const SearchRecord& record) {
  out << YAML::BeginMap;
  emit_text(out, "model", record.model);
  emit_text(out, "data", record.data);
  emit_list(out, "tried", record.tried);
  emit_list(out, "rankings", record.rankings);
  out << YAML::EndMap;
}

// Parses a list; `read` parses each member.
template <typename T>
Result<std::vector<T>> list(const YAML::Node& map, const std::string& key, Result<T> (*read)(const YAML::Node&)) {
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node node, member(map, key));
  if (!node.IsSequence()) return refuse(node, fmt::format("{}: expected a list", key));
  std::vector<T> result;
  for (const YAML::Node& each : node) {
    NESTRT_ASSIGN_OR_RETURN(result.emplace_back(), read(each));
  }
  return result;
}

// Parses the two fields of a score with labels. Either both fields are present or neither is.
Status parse_labelled(const YAML::Node& node, Score& score) {
  if (!node["right"].IsDefined() && !node["right_in_f32"].IsDefined()) return {};
  NESTRT_ASSIGN_OR_RETURN(score.right, member_number(node, "right", uint64_t{0}, score.samples));
  NESTRT_ASSIGN_OR_RETURN(score.right_in_f32, member_number(node, "right_in_f32", uint64_t{0}, score.samples));
  return {};
}

Result<TriedOptions> parse_tried(const YAML::Node& node) {
  TriedOptions tried;
  NESTRT_ASSIGN_OR_RETURN(tried.options, member_text(node, "options"));
  Score& score = tried.score;
  NESTRT_ASSIGN_OR_RETURN(score.samples, member_number(node, "samples", uint64_t{1}, kMaxCount));
  NESTRT_ASSIGN_OR_RETURN(score.rows, member_number(node, "rows", uint64_t{1}, kMaxCount));
  NESTRT_ASSIGN_OR_RETURN(score.agreeing, member_number(node, "agreeing", uint64_t{0}, score.rows));
  NESTRT_RETURN_IF_ERROR(parse_labelled(node, score));
  NESTRT_ASSIGN_OR_RETURN(score.decibel, member_number(node, "decibel", -kInfinity, kInfinity));
  NESTRT_ASSIGN_OR_RETURN(score.f32_share, member_number(node, "f32_share", 0.0, 1.0));
  NESTRT_ASSIGN_OR_RETURN(score.plan_bytes, member_number(node, "plan_bytes", uint64_t{0}, kMaxCount));
  return tried;
}

Result<RankedLayer> parse_layer(const YAML::Node& node) {
  RankedLayer layer;
  NESTRT_ASSIGN_OR_RETURN(layer.name, member_text(node, "name"));
  NESTRT_ASSIGN_OR_RETURN(layer.decibel, member_number(node, "decibel", -kInfinity, kInfinity));
  NESTRT_ASSIGN_OR_RETURN(layer.mac_share, member_number(node, "mac_share", 0.0, 1.0));
  return layer;
}

Result<LayerRanking> parse_ranking(const YAML::Node& node) {
  LayerRanking ranking;
  NESTRT_ASSIGN_OR_RETURN(ranking.options, member_text(node, "options"));
  NESTRT_ASSIGN_OR_RETURN(ranking.layers, list(node, "layers", &parse_layer));
  return ranking;
}

Result<SearchRecord> parse_record(const YAML::Node& node) {
  SearchRecord record;
  NESTRT_ASSIGN_OR_RETURN(record.model, member_text(node, "model"));
  NESTRT_ASSIGN_OR_RETURN(record.data, member_text(node, "data"));
  NESTRT_ASSIGN_OR_RETURN(record.tried, list(node, "tried", &parse_tried));
  NESTRT_ASSIGN_OR_RETURN(record.rankings, list(node, "rankings", &parse_ranking));
  return record;
}

Result<std::vector<SearchRecord>> parse_root(const YAML::Node& root) {
  if (!root.IsMap()) return refuse(root, "not a search file; specify a new file to start a search");
  NESTRT_ASSIGN_OR_RETURN(const std::string format, member_text(root, "format"));
  if (format != kFormat) return refuse(root, fmt::format("format: expected '{}', got '{}'", kFormat, format));
  NESTRT_RETURN_IF_ERROR(member_number(root, "version", kVersion, kVersion).error());
  return list(root, "searches", &parse_record);
}

Status check_writable(const SearchRecord& record) {
  using tools::yaml::check_writable_text;
  for (const TriedOptions& tried : record.tried)
    NESTRT_RETURN_IF_ERROR(check_writable_text(tried.options, "the name of an operator among options"));
  for (const LayerRanking& ranking : record.rankings)
    for (const RankedLayer& layer : ranking.layers)
      NESTRT_RETURN_IF_ERROR(check_writable_text(layer.name, "the name of an operator"));
  return {};
}

}  // namespace

std::string format_search(const std::vector<SearchRecord>& records) {
  YAML::Emitter out;
  out << YAML::BeginMap << YAML::Key << "format" << YAML::Value << std::string(kFormat);
  out << YAML::Key << "version" << YAML::Value << kVersion;
  emit_list(out, "searches", records);
  out << YAML::EndMap;
  return std::string(out.c_str(), out.size()) + "\n";
}

Status save_search(const std::vector<SearchRecord>& records, const std::string& path) {
  for (const SearchRecord& record : records) NESTRT_RETURN_IF_ERROR(check_writable(record));
  return tools::write_text(path, format_search(records));
}

Result<std::vector<SearchRecord>> parse_search(const std::string& text, std::string_view name) {
  return tools::yaml::parse<std::vector<SearchRecord>>(text, name, &parse_root);
}

Result<std::vector<SearchRecord>> load_search(const std::string& path) {
  const auto content = tools::read_file(path, kMaxSearchBytes);
  if (!content && content.error().code() == Code::kNotFound) return std::vector<SearchRecord>();
  if (!content) return content.error();
  return parse_search(std::string(reinterpret_cast<const char*>(content->data()), content->size()), path);
}

SearchRecord& find_or_add(std::vector<SearchRecord>& records, const std::string& model, const std::string& data) {
  const auto found = std::find_if(records.begin(), records.end(), [&](const SearchRecord& record) {
    return record.model == model && record.data == data;
  });
  if (found != records.end()) return *found;
  records.push_back({model, data, {}, {}});
  return records.back();
}

}  // namespace nestrt::compiler
