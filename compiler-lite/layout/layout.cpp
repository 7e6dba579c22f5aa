#include "compiler-lite/layout/layout.h"

namespace nestrt::compiler {

Status choose_layout(Graph& graph, const LayoutOptions& options) {
  if (!options.plain) {
    const auto reorders = assign_layouts(graph);
    if (!reorders) return reorders.error().with_context("choosing layouts");
  }
  const auto packed = pack_weights(graph);
  return packed ? ok_status() : packed.error().with_context("packing weights");
}

}  // namespace nestrt::compiler
