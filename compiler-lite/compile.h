// SPDX-License-Identifier: Apache-2.0
// Compiles an ONNX file into a plan, through the stages of compiler-lite/stages.h.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compiler-lite/calibrate/methods.h"
#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/emit/plan_bytes.h"
#include "compiler-lite/graph/graph.h"
#include "compiler-lite/import/import.h"
#include "compiler-lite/passes/optimise.h"
#include "compiler-lite/placement/assign_layouts.h"
#include "compiler-lite/quantize/quantize.h"
#include "compiler-lite/target/board_costs.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

struct Quantization {
  QuantizationProfile profile;
  QuantizeOptions options;
  std::function<void(const QuantizationReport& report)> observer;  // called once; may be empty
  double percentile = kDefaultPercentile;  // percentile that was used for the profile's exponents, if any
};

struct OtherShape {
  std::map<std::string, Shape> input_shapes;  // ImportOptions::input_shapes
  Backends backends;
};

struct CompileOptions {
  ImportOptions import;
  PassOptions passes;
  std::optional<Quantization> quantization;  // empty: everything stays f32
  LayoutOptions layout;
  // Backends of the target's units (make_backends), host first. If empty, the plan contains kernels for every CPU with
  // the compiling machine's instruction set.
  Backends backends;
  // Costs of the target board, stored in the plan for its host; optional.
  std::optional<BoardCosts> board_costs = {};
  OfferObserver offer_observer;      // receives the offers of accelerators; may be empty
  std::vector<std::string> exposed;  // inner values of the model that also become outputs, for inspection
  // Stored in the plan for the single image input; see nestrt/plan.h.
  std::optional<Preprocessing> preprocessing;
  // Input shapes of the plan in addition to that of `import`, each with backends of the same target.
  std::vector<OtherShape> other_shapes = {};
  // Compiles parts of the imported model with a vendor's compiler: replaces each part with an Opaque operator and
  // returns the backend that contains the programs. May be empty.
  std::function<Result<std::shared_ptr<Backend>>(Graph& graph)> offload;
  // Called before each stage with a summary for progress displays; may be empty.
  std::function<void(std::string_view stage)> progress;
};

// Returns the optimised graph before quantization and before layouts are chosen: plain layouts, nothing packed. If
// `options.quantization` is set, the passes that follow quantization have not run.
// Errors: those of import; kInvalidArgument if preprocessing is specified but the model has no image input, if no node
// computes a value to expose, or if the profile belongs to another model.
Result<Graph> optimised_graph(const std::string& model, const CompileOptions& options);

// Also quantizes if `options.quantization` is set, and runs all passes. Errors: see compile().
Result<Graph> quantized_graph(const std::string& model, const CompileOptions& options);

// compile() in two steps, to compile one model with many quantizations: quantizable_graph() returns the optimised f32
// graph, compile_quantizable() quantizes and compiles a copy of it. Errors: see compile(). The second step does not
// check that the profile belongs to the model.
Result<Graph> quantizable_graph(const std::string& model, CompileOptions options);
Result<PlanBytes> compile_quantizable(Graph graph, CompileOptions options);

// Compiles an optimised and, if required, quantized graph. Errors: kUnsupported if no kernel supports an operator,
// those of the backends, kInternal if the resulting plan fails verification.
Result<PlanBytes> compile_graph(Graph graph, const CompileOptions& options = {});

// Returns the bytes of the plan with all shapes. Errors: those above; kInvalidArgument if quantization is requested but
// no node could be quantized.
Result<PlanBytes> compile(const std::string& model, const CompileOptions& options);
// `model`: the bytes of an ONNX file without external data. Of the options, those for import, passes, layouts, backends
// and costs apply. Errors: those above.
Result<PlanBytes> compile(std::span<const std::byte> model, const CompileOptions& options);

}  // namespace nestrt::compiler
