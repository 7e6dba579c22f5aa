// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "compiler-lite/import/ops/families.h"
#include "compiler-lite/import/ops/float_forms.h"
#include "compiler-lite/import/ops/window.h"

namespace nestrt::compiler {
namespace {

struct ConvOperands {
  std::vector<ValueId> ids;  // x, weights and the optional bias
  Shape x;
  Shape weights;
};

// Reads the window; the weights determine the kernel.
Result<Window> read_conv_window(NodeContext& node, const Shape& x, const Shape& weights) {
  if (x.rank() < 3 || weights.rank() != x.rank()) {
    return node.invalid(fmt::format("input of shape {} and weights of shape {} must have the same rank, at least 3",
                                    x.to_string(), weights.to_string()));
  }
  return read_window(node, weights.rank() - 2, {weights.begin() + 2, weights.end()});
}

Result<ConvOperands> read_conv_operands(const NodeContext& node) {
  ConvOperands operands;
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId weights, node.input(1));
  operands.ids = {x, weights};
  if (node.has_input(2)) operands.ids.push_back(node.optional_input(2));
  operands.x = node.shape(x);
  operands.weights = node.shape(weights);
  return operands;
}

Result<int32_t> read_group(NodeContext& node) {
  const int64_t group = node.attribute("group", int64_t{1});
  if (group >= 1 && group <= INT32_MAX) return static_cast<int32_t>(group);
  return node.invalid(fmt::format("group {} must be at least 1", group));
}

Status import_conv(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(ConvOperands operands, read_conv_operands(node));
  NESTRT_ASSIGN_OR_RETURN(ops::Conv conv, read_conv(node, operands.x, operands.weights));
  return node.finish(std::move(conv), std::move(operands.ids));
}

// Sets the pads that give `output_shape`, distributed as ONNX specifies. If the kernel does not reach that far and the
// model specifies the shape explicitly, output padding fills the rest.
Status pads_for_shape(NodeContext& node, const Shape& x, const std::vector<int64_t>& output_shape, bool is_stated,
                      std::vector<int32_t>& output_padding, Window& window) {
  const int rank = window.spatial_rank();
  if (output_shape.size() != static_cast<size_t>(rank)) return node.invalid("output_shape has the wrong length");
  const bool upper = node.attribute("auto_pad", "NOTSET") == "SAME_UPPER";
  for (int axis = 0; axis < rank; ++axis) {
    const auto i = static_cast<size_t>(axis);
    int64_t full = 0;
    if (__builtin_mul_overflow(x[axis + 2] - 1, int64_t{window.stride[i]}, &full))
      return node.invalid("strides are too large");
    if (output_shape[i] < 1 || output_shape[i] > INT32_MAX)
      return node.invalid("output_shape must be positive, below 2^31");
    const int64_t reached = full + window.extent(axis) + output_padding[i];
    const int64_t total = std::max<int64_t>(reached - output_shape[i], 0);
    if (total > INT32_MAX) return node.invalid("output_shape requires pads beyond 2^31");
    if (reached < output_shape[i] && is_stated) output_padding[i] += static_cast<int32_t>(output_shape[i] - reached);
    const auto smaller = static_cast<int32_t>(total / 2);
    window.pad_begin[i] = upper ? smaller : static_cast<int32_t>(total) - smaller;
    window.pad_end[i] = static_cast<int32_t>(total) - window.pad_begin[i];
  }
  return ok_status();
}

Result<std::vector<int32_t>> read_output_padding(NodeContext& node, int spatial_rank) {
  std::vector<int64_t> stated = node.attribute("output_padding", std::vector<int64_t>());
  if (stated.empty()) stated.assign(static_cast<size_t>(spatial_rank), 0);
  const bool valid =
      stated.size() == static_cast<size_t>(spatial_rank) &&
      std::all_of(stated.begin(), stated.end(), [](int64_t pad) { return pad >= 0 && pad <= INT32_MAX; });
  if (!valid) return node.invalid("output_padding must be one non-negative number per spatial axis");
  return std::vector<int32_t>(stated.begin(), stated.end());
}

// Returns the output shape for auto_pad of a transposed convolution: SAME requests output = input * stride. Empty for
// NOTSET and VALID. If the kernel does not reach that far, the output is smaller, as in ONNX shape inference.
Result<std::vector<int64_t>> same_shape(NodeContext& node, const Shape& x, const Window& window) {
  const std::string mode = node.attribute("auto_pad", "NOTSET");
  std::vector<int64_t> shape;
  if (mode == "NOTSET" || mode == "VALID") return shape;
  for (int axis = 0; axis < window.spatial_rank(); ++axis) {
    int64_t size = 0;
    if (__builtin_mul_overflow(x[axis + 2], int64_t{window.stride[static_cast<size_t>(axis)]}, &size)) {
      return node.invalid("strides are too large");
    }
    shape.push_back(size);
  }
  return shape;
}

Status import_conv_transpose(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(ConvOperands operands, read_conv_operands(node));
  NESTRT_ASSIGN_OR_RETURN(Window window, read_conv_window(node, operands.x, operands.weights));
  ops::ConvTranspose conv;
  NESTRT_ASSIGN_OR_RETURN(conv.output_padding, read_output_padding(node, window.spatial_rank()));
  std::vector<int64_t> output_shape = node.attribute("output_shape", std::vector<int64_t>());
  // Some exporters write all dimensions, including batch and channels.
  if (output_shape.size() == static_cast<size_t>(operands.x.rank()))
    output_shape.erase(output_shape.begin(), output_shape.begin() + 2);
  const bool is_stated = !output_shape.empty();
  if (!is_stated) {
    NESTRT_ASSIGN_OR_RETURN(output_shape, same_shape(node, operands.x, window));
  }
  if (!output_shape.empty()) {
    NESTRT_RETURN_IF_ERROR(pads_for_shape(node, operands.x, output_shape, is_stated, conv.output_padding, window));
  }
  set_window(conv, window);
  NESTRT_ASSIGN_OR_RETURN(conv.group, read_group(node));
  return node.finish(std::move(conv), std::move(operands.ids));
}

// Concatenates the past state (or zeros) and the input, convolves each channel separately and returns the state for the
// next call.
Status import_causal_conv(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId input, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId weights, node.input(1));
  const std::string activation = node.attribute("activation", "none");
  const bool gated = activation == "silu" || activation == "swish";
  if (!gated && activation != "none") return node.invalid(fmt::format("activation '{}' is unknown", activation));
  const Shape x = node.shape(input), w = node.shape(weights);
  if (x.rank() != 3 || w.rank() != 3 || w[0] != x[1] || w[1] != 1 || w[2] < 1 || w[2] > INT32_MAX || x[1] < 1 ||
      x[1] > INT32_MAX)
    return node.invalid(fmt::format("input {} and weights {} have incompatible shapes", x.to_string(), w.to_string()));
  const Shape before{x[0], x[1], w[2] - 1};
  ValueId padded = input;
  if (before[2] > 0) {
    ValueId past = node.optional_input(3);
    if (past == kNoValue) {
      NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kF32, before));
      NESTRT_ASSIGN_OR_RETURN(past,
                              node.constant(std::vector<float>(static_cast<size_t>(before.num_elements())), before));
    }
    if (node.shape(past) != before) return node.invalid("past_state has the wrong shape");
    NESTRT_ASSIGN_OR_RETURN(padded, node.add(ops::Concat{.axis = 2}, {past, input}));
  }
  ops::Conv conv;
  conv.kernel = {static_cast<int32_t>(w[2])};
  conv.stride = conv.dilation = {1};
  conv.pad_begin = conv.pad_end = {0};
  conv.group = static_cast<int32_t>(x[1]);
  std::vector<ValueId> operands = {padded, weights};
  if (node.has_input(2)) operands.push_back(node.optional_input(2));
  NESTRT_ASSIGN_OR_RETURN(ValueId y, node.add(std::move(conv), std::move(operands)));
  if (gated) {
    NESTRT_ASSIGN_OR_RETURN(y, node.unary(ops::UnaryKind::kSilu, y));
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId last, node.slice(padded, {0, 0, x[2]}, {1, 1, 1}, before));
  node.has_input(3);
  NESTRT_RETURN_IF_ERROR(node.set_output(1, last));
  return node.set_output(0, y);
}

constexpr ImportRule kConvolutionRules[] = {
    {"CausalConvWithState", import_causal_conv, 27},
    {"Conv", import_conv},
    {"ConvTranspose", import_conv_transpose},
};

}  // namespace

Result<ops::Conv> read_conv(NodeContext& node, const Shape& x, const Shape& weights) {
  NESTRT_ASSIGN_OR_RETURN(Window window, read_conv_window(node, x, weights));
  NESTRT_RETURN_IF_ERROR(resolve_auto_pad(node, x, window));
  ops::Conv conv;
  set_window(conv, window);
  NESTRT_ASSIGN_OR_RETURN(conv.group, read_group(node));
  return conv;
}

std::span<const ImportRule> convolution_rules() { return kConvolutionRules; }

}  // namespace nestrt::compiler
