// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/math/channel_division.h"

#include <algorithm>

namespace nestrt::kernels {
namespace {

constexpr size_t kMaxInputs = 4;

// Returns whether `tensor` is one image in blocks of 16.
bool is_blocked(const TensorSpec& tensor, DataType type) {
  const bool has_type = type == DataType::kS8 ? has_exponents(tensor) : tensor.type == type;
  return has_type && tensor.layout == Layout::kBlocked16 && tensor.packing == Packing::kNone &&
         tensor.shape.rank() >= 3 && tensor.shape[0] == 1;
}

}  // namespace

bool has_exponents(const TensorSpec& tensor) {
  return tensor.present && tensor.type == DataType::kS8 && tensor.quantization != nullptr &&
         !tensor.quantization->exponents.empty();
}

bool has_blocked_operands(const OperatorSpec& spec, int (*cut_axis)(const ops::Attributes& attributes, size_t input),
                          DataType output_type) {
  if (spec.inputs.empty() || spec.inputs.size() > kMaxInputs || spec.outputs.size() != 1) return false;
  const TensorSpec& output = spec.outputs[0];
  if (!is_blocked(output, output_type)) return false;
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    const TensorSpec& input = spec.inputs[i];
    if (input.present && cut_axis(*spec.attributes, i) == 1 &&
        !(is_blocked(input, DataType::kS8) && input.shape[1] == output.shape[1]))
      return false;
  }
  return true;
}

int cut_channels(const ops::Attributes&, size_t) { return 1; }

bool divides_channels(const OperatorSpec& spec, size_t num_inputs) {
  return spec.inputs.size() == num_inputs && has_blocked_operands(spec, cut_channels);
}

bool divides_elements(const OperatorSpec& spec, size_t num_inputs) {
  return divides_channels(spec, num_inputs) &&
         std::all_of(spec.inputs.begin(), spec.inputs.end(),
                     [&](const auto& input) { return input.shape == spec.outputs[0].shape; });
}

}  // namespace nestrt::kernels
