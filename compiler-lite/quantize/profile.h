// SPDX-License-Identifier: Apache-2.0
// QuantizationProfile: statistics of every value of a network from calibration, and the exponents derived from them. A
// value quantized with exponent e stores q = clip(round(x * 2^e)) in 8 bits, symmetric. It represents real numbers in
// [-128, 127] * 2^-e.
//
// Values are identified by their names in the graph. A profile belongs to one model file and to the constants bound to
// its inputs; see require_model().
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler-lite/graph/host_tensor.h"
#include "nestrt/preprocessing.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

enum class CalibrationMethod { kMinMax, kPercentile, kKl, kMse };

// "minmax", "percentile", "kl", "mse".
std::string_view name(CalibrationMethod method);
std::optional<CalibrationMethod> calibration_method(std::string_view name);

// Magnitudes of nonzero elements: counts[i] of them are in [i, i + 1) * 2^bin_exponent. Bins after the last one are
// empty.
struct Histogram {
  static constexpr size_t kMaxBins = 2048;
  static constexpr int kMinBinExponent = -100, kMaxBinExponent = 120;

  int bin_exponent = 0;
  std::vector<uint64_t> counts;

  double bin_width() const;
};

struct ValueProfile {
  std::string name;
  float min = 0;
  float max = 0;
  uint64_t elements = 0;  // zeros + the sum of the histogram
  uint64_t zeros = 0;
  Histogram magnitudes;
  std::optional<int> exponent;  // chosen by the profile's method
  std::vector<float> means;     // by channel (axis 1); empty if unknown or if the value has no such axis
  std::vector<float> peaks;     // largest magnitudes, like `means`
};

struct QuantizationProfile {
  std::string model_digest;  // model_digest(model, bindings); empty if the profile's source does not contain it
  CalibrationMethod method = CalibrationMethod::kMse;
  uint64_t samples = 0;
  // Preprocessing of the observed images; empty if there were no images or the profile's source does not contain it.
  std::optional<Preprocessing> preprocessing;
  std::vector<ValueProfile> values;  // names are unique

  // Returns null if the profile does not contain the value.
  const ValueProfile* find(std::string_view value_name) const;
};

// Returns 32 hexadecimal digits over the content of an ONNX file. Errors: those of reading it.
Result<std::string> model_digest(const std::string& model);

// Also covers constants bound to inputs, by name. Without such constants, equals model_digest(model).
Result<std::string> model_digest(const std::string& model, const std::map<std::string, HostTensor>& bindings);

// Errors: kInvalidArgument if the profile belongs to another model.
Status require_model(const QuantizationProfile& profile, std::string_view digest);

}  // namespace nestrt::compiler
