// SPDX-License-Identifier: Apache-2.0
#include "tools/support/report/input_tensors.h"

#include "tools/support/report/tensor_files.h"

namespace nestrt::tools {

Result<InputTensors> InputTensors::create(std::span<const TensorInfo> infos, std::span<const std::string> arguments) {
  InputTensors inputs;
  if (arguments.empty()) {
    NESTRT_ASSIGN_OR_RETURN(inputs.random_, TensorSet::random(infos));
  } else {
    NESTRT_ASSIGN_OR_RETURN(inputs.arrays_, read_inputs(infos, arguments));
  }
  return inputs;
}

std::vector<ConstTensorView> InputTensors::views() const {
  if (arrays_.empty()) return random_.const_views();
  std::vector<ConstTensorView> views;
  for (const Array& array : arrays_) views.push_back(array.view());
  return views;
}

}  // namespace nestrt::tools
