// SPDX-License-Identifier: Apache-2.0
// Quantization to s8 (docs/concepts/numerics.md). Conv and Dense compute with integers, as do operators between them
// that only add, select or move elements. Quantize and Dequantize connect them to f32 operators.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/quantize/product_constants.h"
#include "compiler-lite/quantize/profile.h"

namespace nestrt::compiler {

// Suffix of the name of a value's s8 form.
inline constexpr std::string_view kS8Suffix = ".s8";

enum class Scales {
  kTensor,  // an optimal exponent per activation
  kSingle,  // all activations share the smallest exponent: one scale for the whole network
};

// Independent corrections of rounding errors. The defaults improve the networks of docs/how-to/quantize.md.
struct Corrections {
  // let channels use the full range of their value; see equalise.h. Requires per_channel
  bool equalisation = false;
  bool weights = true;  // choose weight exponents by squared error, which may clip outliers, instead of by range
  // compensate in the biases for the mean error of the weights, using the means from calibration (M. Nagel et al.,
  // Data-Free Quantization Through Weight Equalization and Bias Correction, 2019)
  bool bias = true;
};

struct QuantizeOptions {
  ops::Rounding rounding = ops::Rounding::kHalfUp;  // of integer results; for f32 values see rounding_of_reals()
  Scales scales = Scales::kTensor;
  bool per_channel = true;  // one weight exponent per output channel
  Corrections corrections;
  std::set<std::string, std::less<>> keep_f32;  // names of nodes
  // Constants that replace those of the graph after equalisation, or null. See compiler-lite/tuning/reconstruct.h.
  std::shared_ptr<const ReplacedConstants> constants = {};
};

// A Conv or Dense that stays f32.
struct KeptNode {
  std::string name;
  std::string reason;
};

struct QuantizationReport {
  int s8_nodes = 0;
  std::vector<KeptNode> kept;
};

// Quantizes a graph. Requires: a tidy f32 graph with plain layouts; activations may be fused. A Conv with a residual
// stays f32. Leaves a tidy graph. A node stays f32 if the profile has no exponent for its values or if its accumulators
// could overflow.
//
// A Conv or Dense whose result is used only in f32 outputs its accumulators (wide_output), so the class scores of a
// network are never rounded to 8 bits. Its activation, or one without an s8 form, follows in f32.
//
// Errors: kInvalidArgument if `keep_f32` contains an unknown name; kInternal.
Result<QuantizationReport> quantize(Graph& graph, const QuantizationProfile& profile,
                                    const QuantizeOptions& options = {});

}  // namespace nestrt::compiler
