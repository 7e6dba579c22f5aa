// SPDX-License-Identifier: Apache-2.0
// Quantization noise by operator: compares every value that the model names with the same value in f32.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler-lite/check/onnx_runtime.h"
#include "nestrt/plan.h"

namespace nestrt::compiler {

class PlanTrace;

// Signal-to-noise ratios in decibels: 10 log10(sum of squared values / sum of squared errors), infinite if nothing
// differs.
struct LayerNoise {
  uint32_t operator_index = 0;
  std::string operator_name;
  std::string kind;
  std::string value;  // name in the model
  double decibel = 0;
  std::optional<double> input_decibel;  // lowest ratio of the operator's inputs that the model names

  // Returns the noise that the operator adds, as a fraction of its signal. 0 if it adds none or its inputs are unknown.
  double added() const;
};

// Returns true if the plan has s8 tensors.
bool is_quantized(const Plan& plan);

// Returns the model's names for the values that the plan's operators compute. The names of s8 tensors add a suffix.
std::vector<std::string> model_values(const Plan& plan);

// Returns the noise of every operator whose output exists in the model, worst first. `expected`: f32 values by name.
// Requires: the trace has run.
std::vector<LayerNoise> layer_noise(const Plan& plan, const PlanTrace& trace, const NamedArrays& expected);

// Returns the Conv or Dense that adds the most noise, the first candidate to keep in f32. Null if none adds noise.
const LayerNoise* noisiest(const std::vector<LayerNoise>& layers);

}  // namespace nestrt::compiler
