// Sensitivity: which layers a network can least afford in 8 bits.
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
  double mac_share = 0;              // share of the network's multiply-accumulates
  Score alone;                       // only this layer is s8: what it costs
  std::optional<Score> all_but_one;  // only this layer, of those that could be s8, is f32: what keeping it gains
};

struct Sensitivity {
  Score all;                             // everything is s8
  std::vector<LayerSensitivity> layers;  // the noisiest alone first; equal ones in the order of computation
};

struct SensitivityOptions {
  size_t samples = 8;        // at most those that the evaluator has
  bool all_but_one = false;  // measured too, in as much time again
  // Called before the first and after each evaluation; may be empty.
  std::function<void(size_t done, size_t total)> progress;
};

// The Conv and Dense that become s8 with `quantization`, in the order of computation. What it keeps in f32 is not among
// them; of those of one name, as of both directions of a GRU, which only go together, the first is. Errors: those of
// quantize().
Result<std::vector<const Node*>> quantized_layers(const Graph& graph, const Quantization& quantization);

// Measures each of quantized_layers(). Errors: those of Evaluator::evaluate().
Result<Sensitivity> measure_sensitivity(Evaluator& evaluator, const Quantization& quantization,
                                        const SensitivityOptions& options = {});

}  // namespace nestrt::compiler
