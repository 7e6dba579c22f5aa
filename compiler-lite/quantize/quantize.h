// Quantization to s8 (docs/numerics.md): Conv and Dense compute with integers, and so do the operators between them
// that only add, select or move; Quantize and Dequantize stand at the borders to what stays f32.
#pragma once

#include <map>
#include <set>
#include <string>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// By value: the exponent that suits what calibration saw of it. Values without one stay f32.
using Exponents = std::map<std::string, int, std::less<>>;

struct QuantizeOptions {
  plan::Rounding rounding = plan::Rounding::half_up;
  bool per_channel = true;                      // weights: an exponent for each output channel
  std::set<std::string, std::less<>> keep_f32;  // names of nodes
};

// Requires: a tidy f32 graph whose activations are fused, plain layouts. Residuals are left alone: a Conv that has one
// stays f32. Leaves a tidy graph; gives the number of nodes that became s8. A node stays f32 where an exponent is
// missing, or its accumulators could wrap. Errors: kInternal.
Result<int> quantize(Graph& graph, const Exponents& exponents, const QuantizeOptions& options = {});

}  // namespace nestrt::compiler
