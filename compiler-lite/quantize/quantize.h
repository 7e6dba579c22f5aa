// Quantization to s8 (docs/numerics.md): Conv and Dense compute with integers, and so do the operators between them
// that only add, select or move; Quantize and Dequantize stand at the borders to what stays f32.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/quantize/profile.h"

namespace nestrt::compiler {

// The s8 form of a value is called like the value, with this behind.
inline constexpr std::string_view kS8Suffix = ".s8";

enum class Scales {
  kTensor,  // every activation has the exponent that suits it
  kSingle,  // all activations share the smallest of those: one scale for the whole network
};

// What makes up for the error of rounding. Each on its own; the default is what pays on the networks of
// docs/quantization.md.
struct Corrections {
  bool equalisation = false;  // channels use the range of their value; see equalise.h. Needs weights per channel
  bool weights = true;        // exponents of weights by squared error, so that outliers may clip; else by range
  bool bias = true;  // biases take up the mean error of the weights, from the means that calibration saw (M. Nagel
                     // et al., Data-Free Quantization Through Weight Equalization and Bias Correction, 2019)
};

struct QuantizeOptions {
  ops::Rounding rounding =
      ops::Rounding::kHalfUp;  // where integers are rounded; what becomes s8 from f32 is rounded half up
  Scales scales = Scales::kTensor;
  bool per_channel = true;  // weights: an exponent for each output channel
  Corrections corrections;
  std::set<std::string, std::less<>> keep_f32;  // names of nodes
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

// Requires: a tidy f32 graph, activations fused or not, plain layouts. Residuals are left alone: a Conv that has one
// stays f32. Leaves a tidy graph. A node stays f32 where the profile has no exponent for its values, or its
// accumulators could wrap.
//
// A Conv or Dense whose result is only used in f32 gives its accumulators as they are (wide_output): the classes of a
// network are never rounded to 8 bits. Its activation, and one that has no s8 form, follows in f32.
//
// Errors: kInvalidArgument where `keep_f32` names no node; kInternal.
Result<QuantizationReport> quantize(Graph& graph, const QuantizationProfile& profile,
                                    const QuantizeOptions& options = {});

}  // namespace nestrt::compiler
