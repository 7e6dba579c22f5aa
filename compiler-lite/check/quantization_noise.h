// What quantization costs a network, operator by operator: every value that the model names, against the same in f32.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler-lite/check/onnx_runtime.h"
#include "nestrt/plan.h"

namespace nestrt::compiler {

class PlanTrace;

// Signal-to-noise ratios in decibel: 10 log10(sum of squares of the values / of their errors), infinite where nothing
// differs.
struct LayerNoise {
  uint32_t operator_index = 0;
  std::string operator_name;
  std::string kind;
  std::string value;  // the model's name
  double decibel = 0;
  std::optional<double> input_decibel;  // the worst of its inputs that the model names

  // Noise that the operator adds, as a share of its own signal. 0 where it adds none, or the inputs are unknown.
  double added() const;
};

// True where the plan has s8 tensors.
bool is_quantized(const Plan& plan);

// The model's names of the values that operators of the plan give; s8 tensors have them with a suffix.
std::vector<std::string> model_values(const Plan& plan);

// The noise of every operator whose output the model has: the worst first. `expected`: values by name, f32. Requires:
// the trace has run.
std::vector<LayerNoise> layer_noise(const Plan& plan, const PlanTrace& trace, const NamedArrays& expected);

// The Conv or Dense among them that adds most noise: the first to keep in f32. Null where none adds any.
const LayerNoise* noisiest(const std::vector<LayerNoise>& layers);

}  // namespace nestrt::compiler
