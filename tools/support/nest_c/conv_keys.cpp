// SPDX-License-Identifier: Apache-2.0
#include "tools/support/nest_c/conv_keys.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/plan_tables.h"
#include "runtime/text/parse.h"

namespace nestrt::tools {
namespace {

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

std::optional<int64_t> parse_positive(std::string_view text) {
  const std::optional<int64_t> value = parse_number<int64_t>(text);
  return value && *value > 0 ? value : std::nullopt;
}

std::optional<DataType> parse_type(std::string_view text) {
  const std::string type = lower_case(text);
  if (type == "float" || type == "float32" || type == "fp32" || type == "f32") return DataType::kF32;
  if (type == "int8" || type == "i8" || type == "s8" || type == "qint8") return DataType::kS8;
  return std::nullopt;
}

std::optional<std::array<int64_t, 4>> parse_dims(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, "x");
  std::array<int64_t, 4> dims{};
  if (parts.size() != dims.size()) return std::nullopt;
  for (size_t i = 0; i < dims.size(); ++i) {
    const auto number = parse_positive(parts[i]);
    if (!number) return std::nullopt;
    dims[i] = *number;
  }
  return dims;
}

// Returns the common value, if all values are equal.
std::optional<int64_t> common_value(const std::vector<int32_t>& values) {
  const bool is_common = !values.empty() && std::count(values.begin(), values.end(), values[0]) == std::ssize(values);
  return is_common ? std::optional<int64_t>(values[0]) : std::nullopt;
}

// Returns the key with dimensions in NCHW order; nothing if the operator has no key.
std::optional<ConvKey> key_of_operator(const plan::Tables& tables, const plan::Operator& op) {
  const ops::Conv* const conv = op.as<ops::Conv>();
  if (conv == nullptr || op.inputs.size() < 2 || op.outputs.size() != 1) return std::nullopt;
  const plan::Tensor& input = tables.tensors[static_cast<uint32_t>(op.inputs[0])];
  const Shape &x = input.shape, &y = tables.tensors[static_cast<uint32_t>(op.outputs[0])].shape;
  const auto kernel = common_value(conv->kernel), stride = common_value(conv->stride);
  if (x.rank() != 4 || y.rank() != 4 || !kernel || !stride) return std::nullopt;
  return ConvKey{{x[0], x[1], x[2], x[3]}, input.type, y[1], *kernel, *stride};
}

}  // namespace

std::optional<ConvKey> parse_conv_key(const std::string& text) {
  const std::vector<std::string_view> parts = split(text, "-");
  if (parts.size() != 6 || !lower_case(parts[0]).starts_with("conv")) return std::nullopt;
  const auto input = parse_dims(parts[1]);
  const auto type = parse_type(parts[2]);
  const auto outputs = parse_positive(parts[3]), kernel = parse_positive(parts[4]), stride = parse_positive(parts[5]);
  if (!input || !type || !outputs || !kernel || !stride) return std::nullopt;
  return ConvKey{*input, *type, *outputs, *kernel, *stride};
}

ConvKeys::ConvKeys(const Plan& plan) {
  const auto& operators = plan.tables().operators;
  for (uint32_t op = 0; op < operators.size(); ++op) {
    std::optional<ConvKey> key = key_of_operator(plan.tables(), operators[op]);
    if (!key) continue;
    const Names::value_type& work = *names_.emplace(work_name(plan, op, UnitKey()), op).first;
    add(*key, work);
    std::rotate(key->input.begin() + 1, key->input.begin() + 2, key->input.end());  // NHWC
    add(*key, work);
  }
}

const ConvKeys::Works& ConvKeys::works(const ConvKey& key) const {
  const auto found = works_.find(key);
  return found == works_.end() ? none_ : found->second;
}

}  // namespace nestrt::tools
