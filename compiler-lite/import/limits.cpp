#include "compiler-lite/import/limits.h"

#include <fmt/core.h>

namespace nestrt::compiler {

Status too_many_nodes(const ImportLimits& limits) {
  return Status(
      Code::kInvalidModel,
      fmt::format("more than {} nodes, the limit; simplify the model (e.g. with onnxsim) or split it", limits.nodes));
}

}  // namespace nestrt::compiler
