// nestc calibrate --sensitivity: the layers of a network that suffer most from 8 bits.
#pragma once

#include <string>

#include "compiler-lite/calibrate/calibrate.h"
#include "compiler-lite/quantize/profile.h"

namespace nestrt::compiler {

struct SensitivityFlags {
  bool wanted = false;
  size_t samples = 16;
  std::string json;  // a file to write, or empty
};

// Measures over the calibration's samples, with a progress bar; prints a table and writes the JSON. Errors: those of
// Evaluator and of writing the file.
Status report_sensitivity(const std::string& model, const CalibrationOptions& options,
                          const QuantizationProfile& profile, const SensitivityFlags& flags);

}  // namespace nestrt::compiler
