// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/check/run_session.h"

#include "nestrt/session.h"

namespace nestrt::compiler {

Result<std::vector<tools::Array>> run_session(Session& session, std::span<const tools::Array> inputs) {
  std::vector<ConstTensorView> input_views;
  for (const tools::Array& input : inputs) input_views.push_back(input.view());
  std::vector<tools::Array> outputs;
  std::vector<TensorView> output_views;
  for (const TensorInfo& info : session.outputs()) {
    outputs.push_back({info.type, info.shape, std::vector<std::byte>(info.size_bytes())});
    output_views.push_back({info.type, info.shape, outputs.back().bytes.data()});
  }
  NESTRT_RETURN_IF_ERROR(session.run(input_views, output_views));
  return outputs;
}

}  // namespace nestrt::compiler
