// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/manifest.h"

#include <limits>
#include <map>
#include <set>

#include "compiler-lite/parts/part_names.h"
#include "compiler-lite/parts/type_names.h"
#include "tools/support/text/files.h"
#include "tools/support/text/json.h"
#include "tools/support/text/yaml_reader.h"

namespace nestrt::compiler {
namespace {

namespace yaml = tools::yaml;
using tools::Json;

constexpr std::string_view kFormat = "nestrt parts";
constexpr int kVersion1 = 1;
constexpr uint64_t kMaxManifestBytes = 64 << 20;
constexpr size_t kMaxScales = 1 << 20;

// --- Writing ---

Json json_of(const ManifestPart& part) {
  return {{"name", part.name},
          {"backend", part.backend},
          {"file", part.file},
          {"operators", Json::array(part.operators)},
          {"inputs", json_of(part.inputs)},
          {"outputs", json_of(part.outputs)},
          {"after", Json::array(part.after)}};
}

Status check_texts(const std::vector<Border>& borders) {
  for (const Border& border : borders)
    NESTRT_RETURN_IF_ERROR(yaml::check_writable_text(border.name, "the name of a value"));
  return {};
}

// --- Reading ---

Result<YAML::Node> list_in(const YAML::Node& map, const std::string& key) {
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node node, yaml::member(map, key));
  if (!node.IsSequence()) return yaml::refuse(node, key + ": expected a list");
  return node;
}

Result<std::vector<std::string>> names_at(const YAML::Node& map, const std::string& key) {
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node node, list_in(map, key));
  std::vector<std::string> texts;
  for (const YAML::Node& entry : node) {
    if (!entry.IsScalar()) return yaml::refuse(entry, key + ": expected names");
    texts.push_back(entry.Scalar());
  }
  return texts;
}

Result<DataType> type_in(const YAML::Node& map) {
  NESTRT_ASSIGN_OR_RETURN(const std::string text, yaml::member_text(map, "type"));
  const auto type = type_called(text);
  if (!type) return yaml::refuse(map["type"], fmt::format("'{}' is not a type", text));
  return *type;
}

Result<Shape> shape_in(const YAML::Node& map) {
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node node, yaml::member(map, "shape"));
  constexpr auto kRank = static_cast<size_t>(Shape::kMaxRank);
  NESTRT_ASSIGN_OR_RETURN(const auto dims, yaml::numbers<int64_t>(node, "shape", kRank, 0, INT32_MAX));
  return Shape(std::span(dims));
}

Result<std::optional<plan::Quantization>> quantization_in(const YAML::Node& map) {
  if (!map["scales"].IsDefined()) return std::optional<plan::Quantization>();
  plan::Quantization result;
  constexpr float kLeast = std::numeric_limits<float>::min(), kMost = std::numeric_limits<float>::max();
  NESTRT_ASSIGN_OR_RETURN(result.scales, yaml::numbers<float>(map["scales"], "scales", kMaxScales, kLeast, kMost));
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node points, yaml::member(map, "zero_points"));
  NESTRT_ASSIGN_OR_RETURN(result.zero_points,
                          yaml::numbers<int32_t>(points, "zero_points", kMaxScales, INT32_MIN, INT32_MAX));
  if (result.scales.empty() || result.scales.size() != result.zero_points.size())
    return yaml::refuse(points,
                        fmt::format("zero_points: expected one per scale, and at least one; got {} for {} scales",
                                    result.zero_points.size(), result.scales.size()));
  if (result.scales.size() > 1) {
    NESTRT_ASSIGN_OR_RETURN(result.axis, yaml::member_number<int32_t>(map, "axis", 0, Shape::kMaxRank - 1));
  }
  return std::optional(result);
}

Result<std::vector<Border>> borders_in(const YAML::Node& map, const std::string& key) {
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node node, list_in(map, key));
  std::vector<Border> borders;
  std::set<std::string> names;
  for (const YAML::Node& entry : node) {
    if (!entry.IsMap()) return yaml::refuse(entry, key + ": expected {name, type, shape}");
    NESTRT_RETURN_IF_ERROR(yaml::check_keys(entry, {"name", "type", "shape", "scales", "zero_points", "axis"}));
    Border& border = borders.emplace_back();
    NESTRT_ASSIGN_OR_RETURN(border.name, yaml::member_text(entry, "name"));
    NESTRT_ASSIGN_OR_RETURN(border.type, type_in(entry));
    NESTRT_ASSIGN_OR_RETURN(border.shape, shape_in(entry));
    NESTRT_ASSIGN_OR_RETURN(border.quantization, quantization_in(entry));
    if (!names.insert(border.name).second)
      return yaml::refuse(entry, fmt::format("{}: duplicate '{}'", key, border.name));
  }
  return borders;
}

Result<ManifestPart> part_in(const YAML::Node& node) {
  if (!node.IsMap()) return yaml::refuse(node, "parts: expected {name, backend, file, ...}");
  NESTRT_RETURN_IF_ERROR(
      yaml::check_keys(node, {"name", "backend", "file", "operators", "inputs", "outputs", "after"}));
  ManifestPart part;
  NESTRT_ASSIGN_OR_RETURN(part.name, yaml::member_text(node, "name"));
  NESTRT_ASSIGN_OR_RETURN(part.backend, yaml::member_text(node, "backend"));
  NESTRT_ASSIGN_OR_RETURN(part.file, yaml::member_text(node, "file"));
  NESTRT_ASSIGN_OR_RETURN(part.operators, names_at(node, "operators"));
  NESTRT_ASSIGN_OR_RETURN(part.inputs, borders_in(node, "inputs"));
  NESTRT_ASSIGN_OR_RETURN(part.outputs, borders_in(node, "outputs"));
  NESTRT_ASSIGN_OR_RETURN(part.after, names_at(node, "after"));
  for (const std::string& text : {part.name, part.file})
    if (!is_part_name(text)) return yaml::refuse(node, fmt::format("'{}': {}", text, kPartNameRule));
  return part;
}

// Checks that the borders of the parts match.
class BorderCheck {
 public:
  explicit BorderCheck(const Manifest& manifest) : manifest_(manifest) {}

  Status run() {
    for (const Border& border : manifest_.inputs) there_.emplace(border.name, &border);
    std::set<std::string> before;
    for (const ManifestPart& part : manifest_.parts) {
      for (const Border& input : part.inputs)
        NESTRT_RETURN_IF_ERROR(require(input, fmt::format("part '{}' reads '{}'", part.name, input.name),
                                       ", which no earlier part computes"));
      for (const Border& output : part.outputs)
        if (!there_.emplace(output.name, &output).second)
          return refuse(fmt::format("part '{}' computes '{}', which already exists", part.name, output.name));
      for (const std::string& name : part.after)
        if (before.count(name) == 0)
          return refuse(fmt::format("part '{}' comes after '{}', which is not an earlier part", part.name, name));
      if (!before.insert(part.name).second) return refuse(fmt::format("duplicate part '{}'", part.name));
    }
    for (const Border& output : manifest_.outputs)
      NESTRT_RETURN_IF_ERROR(
          require(output, fmt::format("model output '{}'", output.name), " is not computed by any part"));
    return {};
  }

 private:
  static Status refuse(const std::string& why) { return Status(Code::kInvalidArgument, why); }

  Status require(const Border& border, const std::string& subject, std::string_view if_absent) const {
    const auto found = there_.find(border.name);
    if (found == there_.end()) return refuse(fmt::format("{}{}", subject, if_absent));
    if (found->second->type == border.type && found->second->shape == border.shape) return {};
    return refuse(fmt::format("{}: its type or shape does not match its definition", subject));
  }

  const Manifest& manifest_;
  std::map<std::string, const Border*> there_;
};

Result<Manifest> manifest_of(const YAML::Node& root) {
  if (!root.IsMap()) return yaml::refuse(root, "expected the manifest of a model in parts: {format, parts, ...}");
  NESTRT_RETURN_IF_ERROR(yaml::check_keys(
      root, {"format", "version", "model", "model_digest", "opset", "batch_norm", "inputs", "outputs", "parts"}));
  NESTRT_ASSIGN_OR_RETURN(const std::string format, yaml::member_text(root, "format"));
  if (format != kFormat) return yaml::refuse(root["format"], fmt::format("'{}' is not '{}'", format, kFormat));
  NESTRT_RETURN_IF_ERROR(yaml::member_number(root, "version", kVersion1, kVersion1).error());
  Manifest manifest;
  NESTRT_ASSIGN_OR_RETURN(manifest.model, yaml::member_text(root, "model"));
  NESTRT_ASSIGN_OR_RETURN(manifest.model_digest, yaml::member_text(root, "model_digest"));
  NESTRT_ASSIGN_OR_RETURN(manifest.opset, yaml::member_number<int64_t>(root, "opset", 1, INT32_MAX));
  NESTRT_ASSIGN_OR_RETURN(const std::string batch_norm, yaml::member_text(root, "batch_norm"));
  if (batch_norm != "keep" && batch_norm != "fold") return yaml::refuse(root["batch_norm"], "expected keep or fold");
  manifest.folded_batch_norm = batch_norm == "fold";
  NESTRT_ASSIGN_OR_RETURN(manifest.inputs, borders_in(root, "inputs"));
  NESTRT_ASSIGN_OR_RETURN(manifest.outputs, borders_in(root, "outputs"));
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node parts, list_in(root, "parts"));
  for (const YAML::Node& node : parts) {
    NESTRT_ASSIGN_OR_RETURN(manifest.parts.emplace_back(), part_in(node));
  }
  NESTRT_RETURN_IF_ERROR(BorderCheck(manifest).run());
  return manifest;
}

}  // namespace

Result<std::string> Manifest::to_json() const {
  NESTRT_RETURN_IF_ERROR(yaml::check_writable_text(model, "the model's name"));
  for (const auto* borders : {&inputs, &outputs}) NESTRT_RETURN_IF_ERROR(check_texts(*borders));
  Json list = Json::array();
  for (const ManifestPart& part : parts) {
    NESTRT_RETURN_IF_ERROR(check_texts(part.outputs));
    list.push_back(json_of(part));
  }
  return Json({{"format", kFormat},
               {"version", kVersion1},
               {"model", model},
               {"model_digest", model_digest},
               {"opset", opset},
               {"batch_norm", folded_batch_norm ? "fold" : "keep"},
               {"inputs", json_of(inputs)},
               {"outputs", json_of(outputs)},
               {"parts", std::move(list)}})
      .to_string();
}

Result<Manifest> parse_manifest(const std::string& text, std::string_view name) {
  return yaml::parse<Manifest>(text, name, manifest_of);
}

Result<Manifest> read_manifest(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> content, tools::read_file(path, kMaxManifestBytes));
  return parse_manifest({reinterpret_cast<const char*>(content.data()), content.size()}, path);
}

}  // namespace nestrt::compiler
