// SPDX-License-Identifier: Apache-2.0
#include "tools/support/nest_c/nest_c_profile.h"

#include <algorithm>
#include <cctype>

#include "nestrt/driver/plan_tables.h"
#include "tools/support/nest_c/conv_keys.h"
#include "tools/support/text/files.h"
#include "tools/support/text/yaml_reader.h"

namespace nestrt::tools {
namespace {

constexpr uint64_t kMaxProfileBytes = 16 << 20;
constexpr double kMaxMicroseconds = 1e12;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// NEST-C's backends correspond to kinds of units.
UnitKey unit_of(const std::string& backend, const plan::Tables& tables, const std::string& cpu_configuration) {
  const std::string name = lower(backend);
  if (name.starts_with("cpu")) return {"cpu", cpu_configuration, 1};
  UnitKey unit{name.starts_with("vta") ? "evta" : name, "", 1};
  for (const plan::Target& target : tables.targets)
    if (target.unit == unit.kind) unit.configuration = target.configuration;
  return unit;
}

class Importer {
 public:
  Importer(const Plan& plan, const std::string& cpu_configuration)
      : plan_(plan), convolutions_(plan), cpu_configuration_(cpu_configuration) {}

  Status add(const YAML::Node& map) {
    if (!map.IsMap()) return yaml::refuse(map, "expected a NEST-C profile: {Type, backendName, KEY: microseconds}");
    NESTRT_ASSIGN_OR_RETURN(const std::string type, yaml::member_text(map, "Type"));
    if (type != "ExeTime")
      return yaml::refuse(map, "Type: expected 'ExeTime' (execution times of operators), got '" + type + "'");
    NESTRT_ASSIGN_OR_RETURN(const std::string backend, yaml::member_text(map, "backendName", UnitKey::kMaxBytes));
    unit_ = unit_of(backend, plan_.tables(), cpu_configuration_);
    for (const auto& entry : map) {
      if (!entry.first.IsScalar()) return yaml::refuse(entry.first, "expected a key");
      const std::string key = entry.first.Scalar();
      if (key != "Type" && key != "backendName") NESTRT_RETURN_IF_ERROR(add(key, entry.second));
    }
    return {};
  }

  NestCImport take() { return std::move(result_); }

 private:
  Status add(const std::string& text, const YAML::Node& value) {
    ++result_.entries;
    if (value.IsScalar() && (value.Scalar() == "INFINITY" || value.Scalar() == "inf")) return {};
    NESTRT_ASSIGN_OR_RETURN(const double microseconds, yaml::number(value, text, 0.0, kMaxMicroseconds));
    const auto key = parse_conv_key(text);
    if (!key) {
      result_.refused.push_back(text + ": not a convolution key (kind-inputdims-dtype-outC-k-stride)");
      return {};
    }
    const ConvKeys::Works& works = convolutions_.works(*key);
    if (works.empty()) return {};
    if (works.size() > 1) {
      result_.refused.push_back(
          fmt::format("{}: {} different operators of the plan have this key, which does not contain padding, groups, "
                      "dilation and fused operators; measure them with nestrt profile",
                      text, works.size()));
      return {};
    }
    ++result_.used;
    result_.costs.set(unit_, work_name(plan_, (*works.begin())->second, unit_), {microseconds, CostSource::kMeasured});
    return {};
  }

  const Plan& plan_;
  const ConvKeys convolutions_;
  const std::string& cpu_configuration_;
  UnitKey unit_;
  NestCImport result_;
};

}  // namespace

Result<NestCImport> parse_nest_c_profile(const std::string& text, std::string_view name, const Plan& plan,
                                         const std::string& cpu_configuration) {
  return yaml::parse<NestCImport>(text, name, [&](const YAML::Node& root) -> Result<NestCImport> {
    Importer importer(plan, cpu_configuration);
    if (!root.IsSequence()) {
      NESTRT_RETURN_IF_ERROR(importer.add(root));
    } else {
      for (const YAML::Node& map : root) NESTRT_RETURN_IF_ERROR(importer.add(map));
    }
    return importer.take();
  });
}

Result<NestCImport> import_nest_c_profile(const std::string& path, const Plan& plan,
                                          const std::string& cpu_configuration) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> content, read_file(path, kMaxProfileBytes));
  return parse_nest_c_profile({reinterpret_cast<const char*>(content.data()), content.size()}, path, plan,
                              cpu_configuration);
}

}  // namespace nestrt::tools
