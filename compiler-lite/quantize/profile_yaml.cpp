// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/quantize/profile_yaml.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <unordered_set>

#include "runtime/core/budget.h"
#include "tools/support/text/files.h"
#include "tools/support/text/yaml_reader.h"

namespace nestrt::compiler {
namespace {

using tools::yaml::check_keys, tools::yaml::member, tools::yaml::member_number, tools::yaml::member_text,
    tools::yaml::number, tools::yaml::numbers, tools::yaml::refuse;

constexpr std::string_view kFormat = "nestrt quantization profile";
constexpr int kVersion = 1;
// Size limit: sufficient for a thousand values, each with all histogram bins and a thousand channels.
constexpr uint64_t kMaxCalibrationBytes = 64 << 20;
constexpr size_t kMaxForeignBins = 1 << 16;
constexpr uint64_t kForeignBins = 4096 * Histogram::kMaxBins;  // allowed for a file of any size
constexpr size_t kMaxMeans = 1 << 22;
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr size_t kMaxChannels = 4;
constexpr uint64_t kMaxCount = uint64_t{1} << 53;  // total elements, exact as a double

void emit(YAML::Emitter& out, const char* key, const std::vector<float>& by_channel) {
  if (by_channel.empty()) return;
  out << YAML::Key << key << YAML::Value << YAML::Flow << YAML::BeginSeq;
  for (const float number : by_channel) out << fmt::format("{}", number);
  out << YAML::EndSeq;
}

void emit(YAML::Emitter& out, const ValueProfile& value) {
  out << YAML::BeginMap << YAML::Key << "name" << YAML::Value << YAML::DoubleQuoted << value.name;
  out << YAML::Key << "min" << YAML::Value << fmt::format("{}", value.min);
  out << YAML::Key << "max" << YAML::Value << fmt::format("{}", value.max);
  out << YAML::Key << "elements" << YAML::Value << value.elements << YAML::Key << "zeros" << YAML::Value << value.zeros;
  if (value.exponent) out << YAML::Key << "exponent" << YAML::Value << *value.exponent;
  emit(out, "means", value.means);
  emit(out, "peaks", value.peaks);
  out << YAML::Key << "histogram" << YAML::Value << YAML::Flow << YAML::BeginMap;
  out << YAML::Key << "bin_exponent" << YAML::Value << value.magnitudes.bin_exponent;
  out << YAML::Key << "counts" << YAML::Value << YAML::Flow << YAML::BeginSeq;
  for (const uint64_t count : value.magnitudes.counts) out << count;
  out << YAML::EndSeq << YAML::EndMap << YAML::EndMap;
}

void emit(YAML::Emitter& out, const Preprocessing& preprocessing) {
  out << YAML::Key << "preprocessing" << YAML::Value << YAML::Flow << YAML::BeginMap;
  emit(out, "mean", preprocessing.mean);
  emit(out, "scale", preprocessing.scale);
  out << YAML::Key << "resize" << YAML::Value << preprocessing.resize;
  out << YAML::Key << "bgr" << YAML::Value << preprocessing.bgr;
  out << YAML::Key << "letterbox" << YAML::Value << preprocessing.letterbox;
  out << YAML::Key << "pad" << YAML::Value << int{preprocessing.pad};
  if (!preprocessing.antialias) out << YAML::Key << "antialias" << YAML::Value << false;
  out << YAML::EndMap;
}

Result<bool> member_flag(const YAML::Node& node, const char* key) {
  NESTRT_ASSIGN_OR_RETURN(const std::string text, member_text(node, key));
  if (text == "true" || text == "false") return text == "true";
  return refuse(node, fmt::format("{}: expected true or false, got '{}'", key, text));
}

Result<Preprocessing> parse_preprocessing(const YAML::Node& node) {
  if (!node.IsMap())
    return refuse(node, "preprocessing: expected {mean, scale, resize, bgr, letterbox, pad, antialias}");
  NESTRT_RETURN_IF_ERROR(check_keys(node, {"mean", "scale", "resize", "bgr", "letterbox", "pad", "antialias"}));
  Preprocessing result;
  if (node["mean"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(result.mean, numbers(node["mean"], "mean", kMaxChannels, -kLargest, kLargest));
  }
  if (node["scale"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(result.scale, numbers(node["scale"], "scale", kMaxChannels, -kLargest, kLargest));
  }
  NESTRT_ASSIGN_OR_RETURN(result.resize,
                          member_number(node, "resize", uint32_t{0}, std::numeric_limits<uint32_t>::max()));
  NESTRT_ASSIGN_OR_RETURN(result.bgr, member_flag(node, "bgr"));
  NESTRT_ASSIGN_OR_RETURN(result.letterbox, member_flag(node, "letterbox"));
  NESTRT_ASSIGN_OR_RETURN(const int pad, member_number(node, "pad", 0, 255));
  result.pad = static_cast<uint8_t>(pad);
  if (node["antialias"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(result.antialias, member_flag(node, "antialias"));
  }
  return result;
}

// Parses the name and range, which all profile formats contain.
Result<ValueProfile> parse_range(const YAML::Node& node) {
  if (!node.IsMap()) return refuse(node, "expected a value's {name, min, max, histogram}");
  ValueProfile value;
  NESTRT_ASSIGN_OR_RETURN(value.name, member_text(node, "name"));
  NESTRT_ASSIGN_OR_RETURN(value.min, member_number(node, "min", -kLargest, kLargest));
  NESTRT_ASSIGN_OR_RETURN(value.max, member_number(node, "max", value.min, kLargest));
  return value;
}

Status check_counts(const YAML::Node& node, const ValueProfile& value) {
  uint64_t sum = value.zeros;
  for (const uint64_t count : value.magnitudes.counts) sum += count;  // at most 2049 * 2^53
  if (sum == value.elements) return {};
  return refuse(node,
                fmt::format("elements: expected the sum of zeros and histogram, {1}, got {0}", value.elements, sum));
}

Result<ValueProfile> parse_value(const YAML::Node& node) {
  if (node.IsMap())
    NESTRT_RETURN_IF_ERROR(
        check_keys(node, {"name", "min", "max", "elements", "zeros", "exponent", "means", "peaks", "histogram"}));
  NESTRT_ASSIGN_OR_RETURN(ValueProfile value, parse_range(node));
  NESTRT_ASSIGN_OR_RETURN(value.elements, member_number(node, "elements", uint64_t{0}, kMaxCount));
  NESTRT_ASSIGN_OR_RETURN(value.zeros, member_number(node, "zeros", uint64_t{0}, value.elements));
  if (node["exponent"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(value.exponent, member_number(node, "exponent", -64, 64));
  }
  if (node["means"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(value.means, numbers(node["means"], "means", kMaxMeans, -kLargest, kLargest));
  }
  if (node["peaks"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(value.peaks, numbers(node["peaks"], "peaks", kMaxMeans, 0.0f, kLargest));
  }
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node histogram, member(node, "histogram"));
  if (!histogram.IsMap()) return refuse(histogram, "histogram: expected {bin_exponent, counts}");
  NESTRT_ASSIGN_OR_RETURN(
      value.magnitudes.bin_exponent,
      member_number(histogram, "bin_exponent", Histogram::kMinBinExponent, Histogram::kMaxBinExponent));
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node counts, member(histogram, "counts"));
  NESTRT_ASSIGN_OR_RETURN(value.magnitudes.counts,
                          numbers(counts, "counts", Histogram::kMaxBins, uint64_t{0}, kMaxCount));
  NESTRT_RETURN_IF_ERROR(check_counts(node, value));
  return value;
}

Result<ValueProfile> parse_foreign_value(const YAML::Node& node) {
  NESTRT_ASSIGN_OR_RETURN(ValueProfile range, parse_range(node));
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node histogram, member(node, "histogram"));
  NESTRT_ASSIGN_OR_RETURN(const auto counts, numbers(histogram, "histogram", kMaxForeignBins, 0.0,
                                                     static_cast<double>(kMaxCount / kMaxForeignBins)));
  return from_signed_histogram(std::move(range.name), range.min, range.max, counts);
}

// Parses a value of a NEST-C profile. Each value allocates a full nestrt histogram, even if NEST-C's is shorter.
Result<ValueProfile> parse_foreign_value(const YAML::Node& node, Budget& bins) {
  if (bins.charge(Histogram::kMaxBins)) return parse_foreign_value(node);
  return refuse(
      node, fmt::format("more values than {}, the limit for a file of its size", bins.limit() / Histogram::kMaxBins));
}

template <typename Parse>
Status parse_values(const YAML::Node& list, const Parse& parse, QuantizationProfile& profile) {
  if (!list.IsSequence()) return refuse(list, "values: expected a list");
  std::unordered_set<std::string> names;
  for (const YAML::Node& node : list) {
    NESTRT_ASSIGN_OR_RETURN(ValueProfile value, parse(node));
    if (!names.insert(value.name).second) return refuse(node, fmt::format("value '{}' appears twice", value.name));
    profile.values.push_back(std::move(value));
  }
  return {};
}

Status parse_head(const YAML::Node& root, QuantizationProfile& profile) {
  NESTRT_RETURN_IF_ERROR(
      check_keys(root, {"format", "version", "model", "method", "samples", "preprocessing", "values"}));
  NESTRT_ASSIGN_OR_RETURN(const std::string format, member_text(root, "format"));
  if (format != kFormat) return refuse(root, fmt::format("format: expected '{}', got '{}'", kFormat, format));
  NESTRT_RETURN_IF_ERROR(member_number(root, "version", kVersion, kVersion).error());
  NESTRT_ASSIGN_OR_RETURN(profile.model_digest, member_text(root, "model"));
  NESTRT_ASSIGN_OR_RETURN(const std::string method_name, member_text(root, "method"));
  const auto method = calibration_method(method_name);
  if (!method)
    return refuse(root, fmt::format("method: expected minmax, percentile, kl or mse, got '{}'", method_name));
  profile.method = *method;
  NESTRT_ASSIGN_OR_RETURN(profile.samples, member_number(root, "samples", uint64_t{0}, kMaxCount));
  if (const YAML::Node node = root["preprocessing"]; node.IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(profile.preprocessing, parse_preprocessing(node));
  }
  return {};
}

Result<QuantizationProfile> parse_root(const YAML::Node& root, uint64_t file_bytes) {
  QuantizationProfile profile;
  if (root.IsSequence()) {
    Budget bins = Budget::of_file(kForeignBins, 1, file_bytes);
    const auto parse = [&](const YAML::Node& node) { return parse_foreign_value(node, bins); };
    NESTRT_RETURN_IF_ERROR(parse_values(root, parse, profile));
    return profile;
  }
  if (!root.IsMap())
    return refuse(root, "not a quantization profile; create one: nestc calibrate MODEL --images DIR -o PROFILE.yaml");
  NESTRT_RETURN_IF_ERROR(parse_head(root, profile));
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node values, member(root, "values"));
  NESTRT_RETURN_IF_ERROR(parse_values(values, parse_value, profile));
  return profile;
}

}  // namespace

std::string format_profile(const QuantizationProfile& profile) {
  YAML::Emitter out;
  out << YAML::BeginMap << YAML::Key << "format" << YAML::Value << std::string(kFormat);
  out << YAML::Key << "version" << YAML::Value << kVersion;
  out << YAML::Key << "model" << YAML::Value << YAML::DoubleQuoted << profile.model_digest;
  out << YAML::Key << "method" << YAML::Value << std::string(name(profile.method));
  out << YAML::Key << "samples" << YAML::Value << profile.samples;
  if (profile.preprocessing) emit(out, *profile.preprocessing);
  out << YAML::Key << "values" << YAML::Value << YAML::BeginSeq;
  for (const ValueProfile& value : profile.values) emit(out, value);
  out << YAML::EndSeq << YAML::EndMap;
  return std::string(out.c_str(), out.size()) + "\n";
}

Status save_profile(const QuantizationProfile& profile, const std::string& path) {
  for (const ValueProfile& value : profile.values)
    NESTRT_RETURN_IF_ERROR(tools::yaml::check_writable_text(value.name, "the name of a value"));
  return tools::write_text(path, format_profile(profile));
}

Result<QuantizationProfile> parse_profile(const std::string& text, std::string_view name) {
  return tools::yaml::parse<QuantizationProfile>(text, name,
                                                 [&](const YAML::Node& root) { return parse_root(root, text.size()); });
}

Result<QuantizationProfile> load_profile(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> content, tools::read_file(path, kMaxCalibrationBytes));
  return parse_profile(std::string(reinterpret_cast<const char*>(content.data()), content.size()), path);
}

}  // namespace nestrt::compiler
