// SPDX-License-Identifier: Apache-2.0
// Views: the inputs and outputs of a C API call as C++ views. Created once per plan, so that a run does not allocate.
// Threading: one thread at a time.
#pragma once

#include <span>
#include <vector>

#include "nestrt/plan.h"
#include "nestrt/tensor.h"

namespace nestrt::c_api {

class Views {
 public:
  explicit Views(const Plan& plan);

  // Errors: kInvalidArgument, which names the null argument or the tensor with the wrong size.
  Status set(const void* const* inputs, const size_t* input_bytes, void* const* outputs, const size_t* output_bytes);
  // Sets the outputs only, those of the plan's first shape.
  Status set_outputs(void* const* outputs, const size_t* output_bytes) {
    return set_outputs(plan_, outputs, output_bytes);
  }
  std::span<const ConstTensorView> inputs() const { return inputs_; }
  std::span<const TensorView> outputs() const { return outputs_; }

 private:
  const Plan& plan_for(const size_t* input_bytes) const;
  Status set_outputs(const Plan& plan, void* const* outputs, const size_t* output_bytes);

  const Plan& plan_;
  std::vector<ConstTensorView> inputs_;
  std::vector<TensorView> outputs_;
};

}  // namespace nestrt::c_api
