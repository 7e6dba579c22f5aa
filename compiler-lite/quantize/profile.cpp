// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/quantize/profile.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "compiler-lite/quantize/digest.h"
#include "tools/support/text/files.h"

namespace nestrt::compiler {
namespace {

constexpr std::array<std::string_view, 4> kMethodNames = {"minmax", "percentile", "kl", "mse"};

}  // namespace

std::string_view name(CalibrationMethod method) { return kMethodNames[static_cast<size_t>(method)]; }

std::optional<CalibrationMethod> calibration_method(std::string_view name) {
  const auto found = std::find(kMethodNames.begin(), kMethodNames.end(), name);
  if (found == kMethodNames.end()) return std::nullopt;
  return static_cast<CalibrationMethod>(found - kMethodNames.begin());
}

double Histogram::bin_width() const { return std::ldexp(1.0, bin_exponent); }

const ValueProfile* QuantizationProfile::find(std::string_view value_name) const {
  const auto found =
      std::find_if(values.begin(), values.end(), [&](const ValueProfile& value) { return value.name == value_name; });
  return found == values.end() ? nullptr : &*found;
}

Result<std::string> model_digest(const std::string& model) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> content, tools::read_file(model));
  return digest(content);
}

Result<std::string> model_digest(const std::string& model, const std::map<std::string, HostTensor>& bindings) {
  NESTRT_ASSIGN_OR_RETURN(std::string all, model_digest(model));
  if (bindings.empty()) return all;
  for (const auto& [input, constant] : bindings)
    all += fmt::format("\n{} {} {} {}", input, name(constant.type), constant.shape.to_string(),
                       digest(std::as_bytes(std::span(constant.elements))));
  return digest(std::as_bytes(std::span(all)));
}

Status require_model(const QuantizationProfile& profile, std::string_view digest) {
  if (profile.model_digest.empty() || profile.model_digest == digest) return {};
  return Status(Code::kInvalidArgument,
                fmt::format("the profile belongs to another model or to other bound inputs (--bind): digest {}, "
                            "expected {}; calibrate this model: nestc calibrate MODEL --images DIR -o PROFILE.yaml",
                            profile.model_digest, digest));
}

}  // namespace nestrt::compiler
