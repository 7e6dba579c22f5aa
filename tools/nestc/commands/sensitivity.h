// SPDX-License-Identifier: Apache-2.0
// nestc calibrate --sensitivity: finds the layers of a network that lose the most accuracy in 8 bits.
#pragma once

#include <string>

#include "compiler-lite/calibrate/calibrate.h"
#include "compiler-lite/quantize/profile.h"

namespace nestrt::compiler {

struct SensitivityFlags {
  bool wanted = false;
  size_t samples = 16;
  std::string json;  // output file; empty: none
};

// Measures over the calibration samples with a progress bar, prints a table and writes the JSON. Errors: those of
// Evaluator and of writing the file.
Status report_sensitivity(const std::string& model, const CalibrationOptions& options,
                          const QuantizationProfile& profile, const SensitivityFlags& flags);

}  // namespace nestrt::compiler
