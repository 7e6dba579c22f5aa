// SPDX-License-Identifier: Apache-2.0
// Command-line options for quantizing a model.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler-lite/calibrate/calibrate.h"
#include "compiler-lite/compile.h"
#include "tools/support/text/cli.h"

namespace nestrt::compiler {

// All quantization options except calibration.
struct QuantizeChoice {
  std::string scales = "tensor";  // or "single"
  bool per_tensor = false;
  std::string rounding = "half_up";  // a name of ops::Rounding
  std::vector<std::string> corrections = {"weights", "bias"};
  std::vector<std::string> keep_f32;

  QuantizeOptions options() const;
};

// Reads a saved profile, with an exponent for every value. Selects the exponents again if a method (not empty) or a
// percentile is given. Errors: those of load_profile(); kInvalidArgument if a percentile is given but the method, or
// the profile's method if none is given, is not percentile.
Result<QuantizationProfile> complete_profile(const std::string& path, const std::string& method,
                                             std::optional<double> percentile);

// Ensures that the plan preprocesses images as in calibration: if `compile` has no preprocessing, it gets the
// profile's, and `note` receives a message. `data` names the profile in messages. Errors: kInvalidArgument if the two
// preprocessings differ.
Status agree_with(const QuantizationProfile& profile, const std::string& data, CompileOptions& compile,
                  const std::function<void(const std::string& text)>& note);

class QuantizeFlags {
 public:
  // The object must outlive parsing.
  void add_to(tools::Command command);
  // Returns nothing if quantization is not requested. Calibrates with a progress bar or reads a profile. If `compile`,
  // the options without quantization, has no preprocessing, it gets the profile's, with a note on standard error.
  // `held_out`, unless null, receives the held-out samples of a calibration.
  // Errors: kInvalidArgument for contradictory options or a preprocessing that differs from the profile's; those of
  // calibrate() and load_profile().
  Result<std::optional<Quantization>> quantization(const std::string& model, CompileOptions& compile,
                                                   std::optional<HeldOut>* held_out = nullptr) const;
  // Errors: if `output` is a file that these options read or write.
  Status check_output(const std::string& output) const;
  // Errors: if the profile would overwrite the model or the data, or cannot be written.
  Status check_saved(const std::string& model) const;
  const std::string& saved() const { return save_; }  // value of --save-profile

  const std::string& data() const { return data_; }  // value of --calibrate
  bool data_is_profile() const;
  // Returns the samples of a folder or .npy file, with the requested handling of unreadable ones.
  SampleOptions samples_of(const std::string& data) const;
  double percentile() const { return percentile_; }
  size_t limit() const { return limit_; }  // value of --calibration-limit, or 0
  // Returns whether the option, such as "--method", is on the command line.
  bool given(const std::string& option) const;

 private:
  Status check() const;
  Result<Calibration> calibration(const std::string& model, CompileOptions& compile) const;

  std::optional<tools::Command> command_;
  std::string type_;
  std::string requantize_;  // "pow2" or empty
  std::string data_;        // --calibrate
  size_t limit_ = 0;
  bool skip_unreadable_ = false;
  std::string method_;  // empty: mse, or the method of the saved profile
  double percentile_ = kDefaultPercentile;
  std::string save_;
  QuantizeChoice choice_;
};

// Calibrates with a progress bar, and reports skipped images on standard error.
Result<Calibration> calibrate_with_progress(const std::string& model, CalibrationOptions options);

}  // namespace nestrt::compiler
