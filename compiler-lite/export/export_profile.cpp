// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/export_profile.h"

#include <utility>

#include "tools/support/text/files.h"
#include "tools/support/text/yaml_reader.h"

namespace nestrt::compiler {
namespace {

namespace yaml = tools::yaml;

constexpr uint64_t kMaxProfileFileBytes = 1 << 20;
constexpr size_t kMaxProducerBytes = 200;

// Sets `choice` if the key is present: the first word means true, the second false.
Status read_choice(const YAML::Node& map, const std::string& key, std::pair<const char*, const char*> words,
                   bool& choice) {
  if (!map[key].IsDefined()) return {};
  NESTRT_ASSIGN_OR_RETURN(const std::string text, yaml::member_text(map, key));
  if (text != words.first && text != words.second)
    return yaml::refuse(map[key], fmt::format("{}: expected {} or {}, got '{}'", key, words.first, words.second, text));
  choice = text == words.first;
  return {};
}

}  // namespace

Status read_export_keys(const YAML::Node& map, ExportForm& form) {
  if (!map.IsMap()) return yaml::refuse(map, "expected an export profile: {opset, attributes, gemm, ...}");
  NESTRT_RETURN_IF_ERROR(yaml::check_keys(
      map, {"opset", "attributes", "gemm", "flatten", "operators", "zero_points", "weights", "biases", "producer"}));
  if (map["opset"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(form.opset, yaml::member_number(map, "opset", kOldestExportOpset, kNewestExportOpset));
  }
  if (map["producer"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(form.producer, yaml::member_text(map, "producer", kMaxProducerBytes));
  }
  NESTRT_RETURN_IF_ERROR(read_choice(map, "attributes", {"all", "stated"}, form.all_attributes));
  NESTRT_RETURN_IF_ERROR(read_choice(map, "gemm", {"trans_b", "plain"}, form.gemm_trans_b));
  NESTRT_RETURN_IF_ERROR(read_choice(map, "flatten", {"keep", "reshape"}, form.flatten));
  NESTRT_RETURN_IF_ERROR(read_choice(map, "operators", {"whole", "decomposed"}, form.whole_operators));
  NESTRT_RETURN_IF_ERROR(read_choice(map, "zero_points", {"all", "required"}, form.all_zero_points));
  NESTRT_RETURN_IF_ERROR(read_choice(map, "weights", {"per_tensor", "per_channel"}, form.per_tensor));
  return read_choice(map, "biases", {"f32", "s32"}, form.float_biases);
}

Status parse_export_profile(const std::string& text, std::string_view name, ExportForm& form) {
  const auto read = yaml::parse<ExportForm>(text, name, [&](const YAML::Node& root) -> Result<ExportForm> {
    ExportForm changed = form;
    NESTRT_RETURN_IF_ERROR(read_export_keys(root, changed));
    return changed;
  });
  if (!read) return read.error();
  form = *read;
  return {};
}

Status read_export_profile(const std::string& path, ExportForm& form) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> content, tools::read_file(path, kMaxProfileFileBytes));
  return parse_export_profile({reinterpret_cast<const char*>(content.data()), content.size()}, path, form);
}

}  // namespace nestrt::compiler
