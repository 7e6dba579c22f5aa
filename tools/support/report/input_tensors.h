// SPDX-License-Identifier: Apache-2.0
// The inputs of a measured inference: arrays from files, or random ones.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/core/tensor_set.h"
#include "tools/support/text/npy.h"

namespace nestrt::tools {

class InputTensors {
 public:
  // Creates the arrays of `arguments`, NAME=FILE.npy for each input (read_inputs), or random ones without arguments.
  // Errors: those of read_inputs, kOutOfMemory.
  static Result<InputTensors> create(std::span<const TensorInfo> infos, std::span<const std::string> arguments);

  // Returns views into this object.
  std::vector<ConstTensorView> views() const;

 private:
  std::vector<Array> arrays_;
  TensorSet random_;
};

}  // namespace nestrt::tools
