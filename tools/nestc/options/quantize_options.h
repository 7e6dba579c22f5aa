// The command-line options that say how a model is quantized.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler-lite/calibrate/calibrate.h"
#include "compiler-lite/compile.h"
#include "tools/support/text/cli.h"

namespace nestrt::compiler {

// How a network is quantized, beside its calibration.
struct QuantizeChoice {
  std::string scales = "tensor";  // or "single"
  bool per_tensor = false;
  std::string rounding = "half_up";  // or "floor"
  std::vector<std::string> corrections = {"weights", "bias"};
  std::vector<std::string> keep_f32;

  QuantizeOptions options() const;
};

// A profile as it was saved, with an exponent for every value. They are chosen anew where a method (not empty) or a
// percentile is stated. Errors: those of load_profile(); kInvalidArgument where a percentile is stated and the method,
// the profile's own where none is, is another.
Result<QuantizationProfile> complete_profile(const std::string& path, const std::string& method,
                                             std::optional<double> percentile);

// Images go through the same where they are observed and where the plan runs: `compile` takes the profile's
// preprocessing where it has none, and `note` is told. `data` names the profile in messages.
// Errors: kInvalidArgument where both state another.
Status agree_with(const QuantizationProfile& profile, const std::string& data, CompileOptions& compile,
                  const std::function<void(const std::string& text)>& note);

class QuantizeFlags {
 public:
  // Must outlive the parse.
  void add_to(tools::Command command);
  // Empty where nothing is to be quantized. Calibrates, with a progress bar, or reads a profile; `compile` are the
  // options of compiling without quantization, which take the preprocessing of a profile where they have none, and say
  // so on standard error. Errors: kInvalidArgument for options that do not fit together, or a preprocessing that is not
  // the profile's; those of calibrate() and load_profile().
  Result<std::optional<Quantization>> quantization(const std::string& model, CompileOptions& compile) const;
  // Refuses an output that is one of the files read or written here.
  Status check_output(const std::string& output) const;
  // Refuses a profile that would be saved over the model or the data, or that cannot be.
  Status check_saved(const std::string& model) const;
  const std::string& saved() const { return save_; }  // what --save-profile names

  const std::string& data() const { return data_; }  // what --calibrate names
  bool data_is_profile() const;
  // Samples from a folder or a .npy file, unreadable ones treated as asked.
  SampleOptions samples_of(const std::string& data) const;
  double percentile() const { return percentile_; }
  // Whether the option, such as "--method", was on the command line.
  bool given(const std::string& option) const;

 private:
  Status check() const;
  Result<QuantizationProfile> profile(const std::string& model, CompileOptions& compile) const;

  std::optional<tools::Command> command_;
  std::string type_;
  std::string data_;  // --calibrate
  size_t limit_ = 0;
  bool skip_unreadable_ = false;
  std::string method_;  // empty: mse, or the saved profile's
  double percentile_ = kDefaultPercentile;
  std::string save_;
  QuantizeChoice choice_;
};

// Calibrates with a progress bar on standard error, and says there which images were skipped.
Result<QuantizationProfile> calibrate_with_progress(const std::string& model, CalibrationOptions options);

}  // namespace nestrt::compiler
