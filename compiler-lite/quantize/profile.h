// QuantizationProfile: what calibration learned about every value of a network, and the exponents chosen from it.
// A value quantized with exponent e holds q = clip(round(x * 2^e)) in 8 bits, symmetric: real numbers of [-128, 127] *
// 2^-e.
//
// Values are known by their names in the graph. A profile belongs to one model file, and to the constants that inputs
// were bound to: require_model() tells.
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

// Magnitudes of elements that are not zero: counts[i] of them lie in [i, i + 1) * 2^bin_exponent. Bins after the last
// have no elements.
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
  std::optional<int> exponent;  // by the profile's method
  std::vector<float> means;     // along axis 1: by channel; empty where unknown or the value has no such axis
  std::vector<float> peaks;     // the same: largest magnitudes
};

struct QuantizationProfile {
  std::string model_digest;  // model_digest(model, bindings); empty where the profile's origin does not tell
  CalibrationMethod method = CalibrationMethod::kMse;
  uint64_t samples = 0;
  // What the images went through that were observed; empty where there were none, or the profile's origin does not
  // tell.
  std::optional<Preprocessing> preprocessing;
  std::vector<ValueProfile> values;  // names are unique

  // Null where the profile has no such value.
  const ValueProfile* find(std::string_view value_name) const;
};

// 32 hexadecimal digits over the content of an ONNX file. Errors: those of reading it.
Result<std::string> model_digest(const std::string& model);

// The same with inputs that became constants, by name: other constants make another network. Equal without any.
Result<std::string> model_digest(const std::string& model, const std::map<std::string, HostTensor>& bindings);

// Errors: kInvalidArgument where the profile states another model.
Status require_model(const QuantizationProfile& profile, std::string_view digest);

}  // namespace nestrt::compiler
