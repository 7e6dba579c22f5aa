// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/onnx/limits.h"

#include <fmt/core.h>

namespace nestrt::compiler {

Status too_many_nodes(int64_t most) {
  return Status(
      Code::kInvalidModel,
      fmt::format(
          "more than {} nodes, the limit for a file of its size; simplify the model (e.g. with onnxsim) or split it",
          most));
}

Status too_many_operators(int64_t most) {
  return Status(Code::kInvalidModel,
                fmt::format("the model becomes more than {} operators and constants, the limit for a file of its size; "
                            "simplify the model (e.g. with onnxsim) or split it",
                            most));
}

}  // namespace nestrt::compiler
