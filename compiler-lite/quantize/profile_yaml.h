// Quantization profiles as YAML files, to keep, read and edit.
//
//   format: nestrt quantization profile
//   version: 1
//   model: 0123456789abcdef0123456789abcdef      # digest of the ONNX file
//   method: mse
//   samples: 100
//   preprocessing: {mean: [128], scale: [0.015625], resize: 0, bgr: false, letterbox: false, pad: 0}   # of images
//   values:
//     - name: data
//       min: -123.5
//       max: 151
//       elements: 15052800
//       zeros: 0
//       exponent: -1                             # may be edited or left out
//       means: [0.25, -0.5, 1]                   # by channel, and so are peaks; may be left out
//       peaks: [1.5, 2, 3]
//       histogram: {bin_exponent: -3, counts: [0, 12, ...]}
//
// NEST-C's profiles import too: a list of {name, min, max, histogram}, the histogram's bins being equal parts of
// [min, max]. They tell neither their model nor exponents.
#pragma once

#include <string>
#include <string_view>

#include "compiler-lite/quantize/profile.h"

namespace nestrt::compiler {

std::string format_profile(const QuantizationProfile& profile);
// Errors: those of writing a file; nothing half-written is left.
Status save_profile(const QuantizationProfile& profile, const std::string& path);

// Errors: kInvalidArgument with `name`, the line, what was expected and what came. A profile that comes out is
// consistent: names unique, ranges finite, min <= max, histograms within bounds and of as many elements as stated.
Result<QuantizationProfile> parse_profile(const std::string& text, std::string_view name);
// The same, and those of reading a file.
Result<QuantizationProfile> load_profile(const std::string& path);

// A histogram over equal parts of [min, max], as magnitudes. Elements are taken to lie evenly over their part.
// Requires: finite min <= max; counts finite and not negative.
ValueProfile from_signed_histogram(std::string name, float min, float max, const std::vector<double>& counts);

}  // namespace nestrt::compiler
