#include "compiler-lite/compile.h"

#include <utility>

#include "compiler-lite/codegen/cpu/cpu_backend.h"
#include "compiler-lite/compilation.h"
#include "compiler-lite/stages.h"
#include "compiler-lite/target/target_description.h"
#include "runtime/core/guard.h"

namespace nestrt::compiler {
namespace {

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
  return guarded([&]() -> Result<PlanBytes> {
    Compilation compilation = begin(model, options);
    NESTRT_RETURN_IF_ERROR(run_stages(compilation, "import", "emit"));
    return std::move(*compilation.bytes);
  });
}

}  // namespace nestrt::compiler
