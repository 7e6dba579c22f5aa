// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/compile.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "compiler-lite/codegen/cpu/cpu_backend.h"
#include "compiler-lite/compilation.h"
#include "compiler-lite/emit/add_shape.h"
#include "compiler-lite/stages.h"
#include "compiler-lite/target/target_description.h"
#include "runtime/plan/format/format.h"
#include "runtime/platform/guard.h"

namespace nestrt::compiler {
namespace {

std::string describe(const std::map<std::string, Shape>& shapes) {
  std::string text;
  for (const auto& [input, shape] : shapes)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", input, shape.to_string());
  return text;
}

Backends backends_of(const CompileOptions& options) {
  return options.backends.empty() ? Backends{make_cpu_backend(host_target().instruction_sets)} : options.backends;
}

Compilation begin(std::string model, const CompileOptions& options) {
  return {.model = std::move(model), .options = options, .backends = backends_of(options)};
}

Result<PlanBytes> finish(Graph graph, const CompileOptions& options, std::string_view first) {
  return guarded([&]() -> Result<PlanBytes> {
    Compilation compilation = begin({}, options);
    compilation.graph = std::move(graph);
    NESTRT_RETURN_IF_ERROR(run_stages(compilation, first, "emit"));
    return std::move(*compilation.bytes);
  });
}

Result<Graph> graph_after(std::string_view stage, const std::string& model, const CompileOptions& options) {
  return guarded([&]() -> Result<Graph> {
    Compilation compilation = begin(model, options);
    NESTRT_RETURN_IF_ERROR(run_stages(compilation, "import", stage));
    return std::move(compilation.graph);
  });
}

// Observers receive reports for the main shape only.
Result<AssembledPlan> plan_of_shape(const std::string& model, CompileOptions options, const OtherShape& shape) {
  options.import.input_shapes = shape.input_shapes;
  options.backends = shape.backends;
  options.offer_observer = {};
  if (options.quantization) options.quantization->observer = {};
  Compilation compilation = begin(model, options);
  const Status status = run_stages(compilation, "import", "memory");
  if (!status.ok()) return status.with_context(fmt::format("for inputs {}", describe(shape.input_shapes)));
  return std::move(compilation.plan);
}

bool have_same_inputs(const plan::Tables& a, const plan::Tables& b) {
  return std::ranges::equal(a.inputs, b.inputs, [&](const plan::Input& mine, const plan::Input& theirs) {
    return a.tensors[mine.tensor].shape == b.tensors[theirs.tensor].shape;
  });
}

Status add_other_shape(const std::string& model, const CompileOptions& options, const OtherShape& shape,
                       AssembledPlan& plan) {
  NESTRT_ASSIGN_OR_RETURN(AssembledPlan other, plan_of_shape(model, options, shape));
  const auto is_same = [&](const plan::Tables& known) { return have_same_inputs(known, other.tables); };
  if (is_same(plan.tables) || std::ranges::any_of(plan.tables.shapes, is_same))
    return Status(Code::kInvalidArgument,
                  fmt::format("input shapes {} appear twice; specify each shape once", describe(shape.input_shapes)));
  add_shape(plan, std::move(other));
  return {};
}

}  // namespace

Result<Graph> optimised_graph(const std::string& model, const CompileOptions& options) {
  return graph_after("passes", model, options);
}

Result<Graph> quantized_graph(const std::string& model, const CompileOptions& options) {
  return graph_after("quantize", model, options);
}

Result<Graph> quantizable_graph(const std::string& model, CompileOptions options) {
  options.passes.quantizes = true;
  return optimised_graph(model, options);
}

Result<PlanBytes> compile_quantizable(Graph graph, CompileOptions options) {
  options.passes.quantizes = true;
  return finish(std::move(graph), options, "quantize");
}

Result<PlanBytes> compile_graph(Graph graph, const CompileOptions& options) {
  return finish(std::move(graph), options, "placement");
}

Result<PlanBytes> compile(const std::string& model, const CompileOptions& options) {
  if (options.other_shapes.size() > plan_format::kMaxShapes)
    return Status(Code::kInvalidArgument, fmt::format("a plan supports at most {} shapes, got {}",
                                                      plan_format::kMaxShapes + 1, options.other_shapes.size() + 1));
  return guarded([&]() -> Result<PlanBytes> {
    Compilation compilation = begin(model, options);
    NESTRT_RETURN_IF_ERROR(run_stages(compilation, "import", "memory"));
    for (const OtherShape& other : options.other_shapes)
      NESTRT_RETURN_IF_ERROR(add_other_shape(model, options, other, compilation.plan));
    NESTRT_RETURN_IF_ERROR(run_stages(compilation, "emit", "emit"));
    return std::move(*compilation.bytes);
  });
}

Result<PlanBytes> compile(std::span<const std::byte> model, const CompileOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(Graph graph, import_onnx(model, options.import));
  return finish(std::move(graph), options, "passes");
}

}  // namespace nestrt::compiler
