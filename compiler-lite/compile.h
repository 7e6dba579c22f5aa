// The whole way from an ONNX file to a plan: import, optimise, quantize, choose layouts, pack weights, emit.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "compiler-lite/emit/emit.h"
#include "compiler-lite/graph/graph.h"
#include "compiler-lite/import/import.h"
#include "compiler-lite/layout/layout.h"
#include "compiler-lite/passes/passes.h"
#include "compiler-lite/quantize/quantize.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

struct Quantization {
  QuantizationProfile profile;
  QuantizeOptions options;
  std::function<void(const QuantizationReport& report)> observer;  // called once; may be empty
};

struct CompileOptions {
  ImportOptions import;
  PassOptions passes;
  std::optional<Quantization> quantization;  // empty: everything stays f32
  LayoutOptions layout;
  Backends backends;             // of the units beside the CPU ...
  OfferObserver offer_observer;  // ... and who is told what they offer; may be empty
  std::vector<std::string> exposed;  // inner values of the model that become outputs too, to look at them
  // Kept in the plan for the (only) picture input; see nestrt/plan.h.
  std::optional<Preprocessing> preprocessing;
  // Called before each stage with its name, for people who wait; may be empty.
  std::function<void(std::string_view stage)> progress;
};

// The optimised graph in f32, before layouts are chosen: everything plain, nothing packed. Errors: as build_graph().
Result<Graph> optimised_graph(const std::filesystem::path& model, const CompileOptions& options);

// compile() in two steps, so that one model can be compiled with many quantizations: the optimised f32 graph with its
// residuals not fused, and from a copy of that to the plan. Errors: as compile(); the second trusts that the profile is
// this model's.
Result<Graph> quantizable_graph(const std::filesystem::path& model, const CompileOptions& options);
Result<PlanBytes> compile_quantizable(Graph graph, const CompileOptions& options);

// The optimised graph, quantized where asked for, weights packed, as the emitter takes it. Errors: those of import;
// kInvalidArgument where preprocessing is stated for a model that has no picture input, where no node computes a value
// to expose, where the profile belongs to another model, and where not one node could be quantized.
Result<Graph> build_graph(const std::filesystem::path& model, const CompileOptions& options);

// The bytes of the plan.
Result<PlanBytes> compile(const std::filesystem::path& model, const CompileOptions& options);

}  // namespace nestrt::compiler
