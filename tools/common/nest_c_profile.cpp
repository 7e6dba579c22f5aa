#include "tools/common/nest_c_profile.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "nestrt/plan_tables.h"
#include "runtime/core/parse.h"
#include "tools/common/files.h"
#include "tools/common/yaml_reader.h"

namespace nestrt::tools {
namespace {

constexpr uint64_t kMaxProfileBytes = 16 << 20;
constexpr double kMaxMicroseconds = 1e12;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::optional<int64_t> parse_positive(std::string_view text) {
  const std::optional<int64_t> value = parse_number<int64_t>(text);
  return value && *value > 0 ? value : std::nullopt;
}

// What a convolution's key says.
struct ConvKey {
  std::vector<int64_t> input;  // four dimensions
  std::optional<DataType> type;
  int64_t outputs = 0;
  int64_t kernel = 0;
  int64_t stride = 0;
};

std::optional<DataType> parse_type(const std::string& text) {
  const std::string type = lower(text);
  if (type == "float" || type == "float32" || type == "fp32" || type == "f32") return DataType::kF32;
  if (type == "int8" || type == "i8" || type == "s8" || type == "qint8") return DataType::kS8;
  return std::nullopt;
}

std::optional<ConvKey> parse_key(const std::string& text) {
  const std::vector<std::string_view> parts = split(text, "-");
  if (parts.size() != 6 || !lower(std::string(parts[0])).starts_with("conv")) return std::nullopt;
  ConvKey key;
  for (const std::string_view dim : split(parts[1], "x")) {
    const auto number = parse_positive(dim);
    if (!number) return std::nullopt;
    key.input.push_back(*number);
  }
  key.type = parse_type(std::string(parts[2]));
  const auto outputs = parse_positive(parts[3]), kernel = parse_positive(parts[4]), stride = parse_positive(parts[5]);
  if (key.input.size() != 4 || !key.type || !outputs || !kernel || !stride) return std::nullopt;
  key.outputs = *outputs, key.kernel = *kernel, key.stride = *stride;
  return key;
}

bool all_are(const std::vector<int32_t>& values, int64_t wanted) {
  return std::all_of(values.begin(), values.end(), [&](int32_t value) { return value == wanted; });
}

bool matches(const ConvKey& key, const plan::Tables& tables, const plan::Operator& op) {
  const ops::Conv* const conv = op.as<ops::Conv>();
  if (conv == nullptr || op.inputs.size() < 2 || op.outputs.size() != 1) return false;
  const plan::Tensor& input = tables.tensors[static_cast<uint32_t>(op.inputs[0])];
  const plan::Tensor& output = tables.tensors[static_cast<uint32_t>(op.outputs[0])];
  const Shape &x = input.shape, &y = output.shape;
  if (x.rank() != 4 || y.rank() != 4 || y[1] != key.outputs || input.type != key.type) return false;
  const std::vector<int64_t> nchw = {x[0], x[1], x[2], x[3]}, nhwc = {x[0], x[2], x[3], x[1]};
  return (key.input == nchw || key.input == nhwc) && all_are(conv->kernel, key.kernel) &&
         all_are(conv->stride, key.stride);
}

// NEST-C's backends are units of ours by kind.
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
      : plan_(plan), cpu_configuration_(cpu_configuration) {}

  Status add(const YAML::Node& map) {
    if (!map.IsMap()) return yaml::refuse(map, "expected a profile of NEST-C: {Type, backendName, KEY: microseconds}");
    NESTRT_ASSIGN_OR_RETURN(const std::string type, yaml::member_text(map, "Type"));
    if (type != "ExeTime")
      return yaml::refuse(map, "Type: only profiles of type ExeTime are of operators, not '" + type + "'");
    NESTRT_ASSIGN_OR_RETURN(const std::string backend, yaml::member_text(map, "backendName"));
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
    const auto key = parse_key(text);
    if (!key) {
      result_.refused.push_back(text + ": no convolution's key (kind-inputdims-dtype-outC-k-stride)");
      return {};
    }
    std::set<std::string> works;
    const auto& operators = plan_.tables().operators;
    for (uint32_t op = 0; op < operators.size(); ++op)
      if (matches(*key, plan_.tables(), operators[op])) works.insert(work_name(plan_, op));
    if (works.empty()) return {};
    if (works.size() > 1) {
      result_.refused.push_back(
          fmt::format("{}: {} different operators of the plan have this key, as it says nothing of padding, groups, "
                      "dilation and what is fused; measure them with nestrt profile",
                      text, works.size()));
      return {};
    }
    ++result_.used;
    result_.costs.set(unit_, *works.begin(), {microseconds, CostSource::kMeasured});
    return {};
  }

  const Plan& plan_;
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
