// SPDX-License-Identifier: Apache-2.0
// Quantization profiles as editable YAML files.
//
//   format: nestrt quantization profile
//   version: 1
//   model: 0123456789abcdef0123456789abcdef      # digest of the ONNX file
//   method: mse
//   samples: 100
//   preprocessing: {mean: [128], scale: [0.015625], resize: 0, bgr: false, letterbox: false, pad: 0}   # of images;
//                                                # antialias: false is added for plain bilinear interpolation
//   values:
//     - name: data
//       min: -123.5
//       max: 151
//       elements: 15052800
//       zeros: 0
//       exponent: -1                             # editable, optional
//       means: [0.25, -0.5, 1]                   # by channel, like peaks; optional
//       peaks: [1.5, 2, 3]
//       histogram: {bin_exponent: -3, counts: [0, 12, ...]}
//
// NEST-C's profiles are accepted too: a list of {name, min, max, histogram}, where the bins divide [min, max] equally.
// They contain neither the model's digest nor exponents.
#pragma once

#include <string>
#include <string_view>

#include "compiler-lite/quantize/profile.h"

namespace nestrt::compiler {

std::string format_profile(const QuantizationProfile& profile);
// Errors: those of writing a file. No partial file remains.
Status save_profile(const QuantizationProfile& profile, const std::string& path);

// Errors: kInvalidArgument with `name`, the line, and the expected and actual text. A returned profile is consistent:
// unique names, finite ranges, min <= max, and histograms within bounds that contain the declared number of elements.
Result<QuantizationProfile> parse_profile(const std::string& text, std::string_view name);
// Errors: those of parsing, and those of reading a file.
Result<QuantizationProfile> load_profile(const std::string& path);

// Converts a histogram over equal parts of [min, max] to magnitudes, assuming evenly distributed elements within each
// part. Requires: finite min <= max; finite, non-negative counts.
ValueProfile from_signed_histogram(std::string name, float min, float max, const std::vector<double>& counts);

}  // namespace nestrt::compiler
