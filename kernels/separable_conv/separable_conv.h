// A depthwise Conv between convolutions of 1 x 1 (ops::SeparableConv).
//
// Variants, and the layouts and weights each accepts (input -> output; a residual has the layout of the output):
//   separable_conv.reference    plain -> plain          f32 and s8; packing none: the references of its parts one after
//                                                       the other
//   separable_conv.blocked16    blocked16 -> blocked16  f32 and s8; constant weights and biases; packings of
//                                                       conv.*.depthwise16 and conv.*.direct16, whose results it gives
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "nestrt/kernel.h"

namespace nestrt::kernels {

// Inputs.
inline constexpr size_t kSeparableResidual = 5;

// One of the convolutions as an operator. Is not moved: its spec refers to it.
struct SeparablePart {
  ops::Attributes attributes;
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  plan::Quantization between;  // of its output, where that is s8 and not the last

  OperatorSpec spec() const {
    OperatorSpec result;
    result.attributes = &attributes;
    result.inputs = inputs;
    result.outputs = outputs;
    return result;
  }
};

// In the order in which they run; the first is null where nothing is before the depthwise Conv.
struct SeparableParts {
  std::unique_ptr<SeparablePart> before, depthwise, after;

  std::vector<const SeparablePart*> all() const {
    if (before == nullptr) return {depthwise.get(), after.get()};
    return {before.get(), depthwise.get(), after.get()};
  }
};

// What lies between has the layout of the input. Checks shapes and types of all parts by the rules of Conv; of an
// operator without an output, not the output's quantization. Errors: kInvalidModel, kUnsupported.
Result<SeparableParts> separable_parts(const OperatorSpec& spec);

// The variants.
bool accepts_separable_conv_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_separable_conv_reference(const OperatorSpec& spec);
bool accepts_separable_conv_blocked16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_separable_conv_blocked16(const OperatorSpec& spec);

}  // namespace nestrt::kernels
