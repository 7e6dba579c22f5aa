// SPDX-License-Identifier: Apache-2.0
// Sensitivity: the loss that each layer causes in 8 bits.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/tuning/score.h"

namespace nestrt::compiler {

class Evaluator;
struct Quantization;

struct LayerSensitivity {
  std::string name;
  std::string kind;                  // Conv or Dense
  double mac_share = 0;              // fraction of the network's multiply-accumulates
  Score alone;                       // the loss if only this layer is s8
  std::optional<Score> all_but_one;  // the loss if only this layer is f32
};

struct Sensitivity {
  Score all;                             // the loss if everything is s8
  std::vector<LayerSensitivity> layers;  // noisiest first, in order of computation on a tie
};

struct SensitivityOptions {
  size_t samples = 8;        // at most the evaluator's number of samples
  bool all_but_one = false;  // also measure LayerSensitivity::all_but_one, which doubles the time
  // Called before the first and after each evaluation; may be empty.
  std::function<void(size_t done, size_t total)> progress;
};

// Returns the Conv and Dense nodes that become s8 with `quantization`, in order of computation, except those that it
// keeps in f32. If several nodes share a name, such as the two directions of a GRU, they can only be kept together, and
// only the first is returned. Errors: those of quantize().
Result<std::vector<const Node*>> quantized_layers(const Graph& graph, const Quantization& quantization);

// Measures all quantized_layers(). Errors: those of Evaluator::evaluate().
Result<Sensitivity> measure_sensitivity(Evaluator& evaluator, const Quantization& quantization,
                                        const SensitivityOptions& options = {});

}  // namespace nestrt::compiler
