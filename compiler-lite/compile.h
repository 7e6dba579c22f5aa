// The whole way from an ONNX file to a plan, through the stages of compiler-lite/stages.h.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

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
  // For the target's units (make_backends), the host first; empty: kernels for every CPU of `host`.
  Backends backends;
  // Of the board that the target is: what the plan says of its host. Empty: nothing.
  std::optional<BoardCosts> board_costs = {};
  OfferObserver offer_observer;      // told what the units beside the host offer; may be empty
  std::vector<std::string> exposed;  // inner values of the model that become outputs too, to look at them
  // Kept in the plan for the (only) image input; see nestrt/plan.h.
  std::optional<Preprocessing> preprocessing;
  // Shapes of inputs that the plan is made for beside those of `import`, each with backends of the same target.
  std::vector<OtherShape> other_shapes = {};
  // Has parts of the model, as it was imported, compiled by others: puts an operator Opaque in place of each, and gives
  // the backend that has their programs. Empty: none.
  std::function<Result<std::shared_ptr<Backend>>(Graph& graph)> offload;
  // Called before each stage with its name, for people who wait; may be empty.
  std::function<void(std::string_view stage)> progress;
};

// The optimised graph, not quantized, before layouts are chosen: everything plain, nothing packed. Where
// `options.quantization` is there, what is to follow it has not been done.
// Errors: those of import; kInvalidArgument where preprocessing is stated for a model that has no image input, where
// no node computes a value to expose, and where the profile belongs to another model.
Result<Graph> optimised_graph(const std::string& model, const CompileOptions& options);

// The same with what follows: quantized where `options.quantization` is there, all passes done. Errors: as compile().
Result<Graph> quantized_graph(const std::string& model, const CompileOptions& options);

// compile() in two steps, so that one model can be compiled with many quantizations: the optimised f32 graph, on which
// quantization can follow, and from a copy of that to the plan. Errors: as compile(); the second trusts that the
// profile is this model's.
Result<Graph> quantizable_graph(const std::string& model, CompileOptions options);
Result<PlanBytes> compile_quantizable(Graph graph, CompileOptions options);

// From a graph that is optimised, and quantized where it is to be, to the plan. Errors: kUnsupported where no kernel
// takes an operator, those of the backends, kInternal where the plan that came out fails its own verification.
Result<PlanBytes> compile_graph(Graph graph, const CompileOptions& options = {});

// The bytes of the plan; of all shapes, where there are others. Errors: those above; kInvalidArgument where not one
// node could be quantized.
Result<PlanBytes> compile(const std::string& model, const CompileOptions& options);

}  // namespace nestrt::compiler
