// SPDX-License-Identifier: Apache-2.0
#include "lower.h"

#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

namespace reference {
namespace {

using onnx::NodeProto;

// The attributes of a node, by name.
class Attributes {
 public:
  explicit Attributes(const NodeProto& node) {
    for (const auto& attribute : node.attribute()) by_name_[attribute.name()] = &attribute;
  }
  int64_t integer(const std::string& name, int64_t otherwise) const {
    const auto* const found = find(name);
    return found != nullptr ? found->i() : otherwise;
  }
  float real(const std::string& name, float otherwise) const {
    const auto* const found = find(name);
    return found != nullptr ? found->f() : otherwise;
  }
  std::string text(const std::string& name) const {
    const auto* const found = find(name);
    return found != nullptr ? found->s() : "";
  }
  std::vector<int64_t> integers(const std::string& name) const {
    const auto* const found = find(name);
    return found != nullptr ? std::vector<int64_t>(found->ints().begin(), found->ints().end()) : std::vector<int64_t>();
  }

 private:
  const onnx::AttributeProto* find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found != by_name_.end() ? found->second : nullptr;
  }

  std::map<std::string, const onnx::AttributeProto*> by_name_;
};

class Lowering {
 public:
  Lowering(const onnx::GraphProto& graph, int64_t opset) : graph_(graph), opset_(opset) {}

  Program run() {
    for (const auto& tensor : graph_.initializer()) constants_[tensor.name()] = &tensor;
    for (const auto* values : {&graph_.input(), &graph_.output(), &graph_.value_info()})
      for (const auto& value : *values) types_[value.name()] = &value.type().tensor_type();
    for (const auto& input : graph_.input())
      if (constants_.count(input.name()) == 0) program_.inputs.push_back(tensor_of(input.name()));
    for (const NodeProto& node : graph_.node()) {
      try {
        lower(node);
      } catch (const Refused& error) {
        throw Refused("node '" + node.name() + "' (" + node.op_type() + "): " + error.what());
      }
    }
    for (const auto& output : graph_.output()) {
      if (tensors_.count(output.name()) == 0) throw Refused("output '" + output.name() + "' is a constant");
      program_.outputs.push_back(tensor_of(output.name()));
    }
    return std::move(program_);
  }

 private:
  // Returns the tensor with this name and its declared or inferred shape.
  uint32_t tensor_of(const std::string& name) {
    const auto known = tensors_.find(name);
    if (known != tensors_.end()) return known->second;
    const auto type = types_.find(name);
    if (type == types_.end() || !type->second->has_shape()) throw Refused("the shape of '" + name + "' is not known");
    const auto element = type->second->elem_type();
    if (element != onnx::TensorProto::FLOAT && element != onnx::TensorProto::INT8)
      throw Refused("'" + name + "' is neither f32 nor int8");
    Tensor tensor;
    tensor.is_int8 = element == onnx::TensorProto::INT8 ? 1 : 0;
    for (const auto& dim : type->second->shape().dim()) {
      if (!dim.has_dim_value() || dim.dim_value() <= 0) throw Refused("the shape of '" + name + "' is not fixed");
      tensor.shape.push_back(static_cast<uint32_t>(dim.dim_value()));
    }
    return add_tensor(name, std::move(tensor));
  }

  uint32_t add_tensor(const std::string& name, Tensor tensor) {
    const auto index = static_cast<uint32_t>(program_.tensors.size());
    program_.tensors.push_back(std::move(tensor));
    if (!name.empty()) tensors_[name] = index;
    return index;
  }

  std::vector<uint32_t> shape_of(const std::string& name) { return program_.tensors[tensor_of(name)].shape; }

  const onnx::TensorProto& tensor_called(const std::string& name) const {
    const auto found = constants_.find(name);
    if (found == constants_.end()) throw Refused("'" + name + "' is not a constant");
    return *found->second;
  }

  std::vector<float> constant(const std::string& name) const {
    if (const auto real = reals_.find(name); real != reals_.end()) return real->second;
    const onnx::TensorProto& tensor = tensor_called(name);
    switch (tensor.data_type()) {
      case onnx::TensorProto::FLOAT:
        return numbers<float>(tensor, tensor.float_data());
      case onnx::TensorProto::INT32:
        return numbers<int32_t>(tensor, tensor.int32_data());
      case onnx::TensorProto::INT8:
        return numbers<int8_t>(tensor, tensor.int32_data());
      default:
        throw Refused("constant '" + name + "' is not f32, int8 or int32");
    }
  }

  template <typename T, typename List>
  static std::vector<float> numbers(const onnx::TensorProto& tensor, const List& list) {
    if (!tensor.has_raw_data()) return {list.begin(), list.end()};
    std::vector<T> values(tensor.raw_data().size() / sizeof(T));
    std::memcpy(values.data(), tensor.raw_data().data(), values.size() * sizeof(T));
    return {values.begin(), values.end()};
  }

  Operator& add(Kind kind, const NodeProto& node, size_t num_inputs = 1) {
    Operator op;
    op.kind = kind;
    for (size_t i = 0; i < num_inputs; ++i) op.inputs.push_back(tensor_of(node.input(static_cast<int>(i))));
    op.output = tensor_of(node.output(0));
    program_.operators.push_back(std::move(op));
    return program_.operators.back();
  }

  void lower(const NodeProto& node) {
    static const std::map<std::string, void (Lowering::*)(const NodeProto&)> kRules = {
        {"Conv", &Lowering::conv},
        {"Gemm", &Lowering::gemm},
        {"MatMul", &Lowering::gemm},
        {"BatchNormalization", &Lowering::batch_norm},
        {"Relu", &Lowering::relu},
        {"Clip", &Lowering::clip},
        {"MaxPool", &Lowering::max_pool},
        {"AveragePool", &Lowering::average_pool},
        {"GlobalAveragePool", &Lowering::global_average_pool},
        {"Add", &Lowering::add_tensors},
        {"Concat", &Lowering::concat},
        {"LRN", &Lowering::response_norm},
        {"Softmax", &Lowering::softmax},
        {"QuantizeLinear", &Lowering::quantize_linear},
        {"DequantizeLinear", &Lowering::dequantize_linear},
        {"Flatten", &Lowering::copy},
        {"Reshape", &Lowering::copy},
        {"Dropout", &Lowering::copy},
        {"Identity", &Lowering::copy},
        {"Squeeze", &Lowering::copy},
        {"Unsqueeze", &Lowering::copy},
    };
    const auto rule = kRules.find(node.op_type());
    if (rule == kRules.end()) throw Refused("the operator is not supported");
    (this->*rule->second)(node);
  }

  // Quantizes [output channel][...] to int8; the largest weight of each channel determines its scale.
  static void quantize(const std::vector<float>& weights, size_t channels, Operator& op) {
    const auto is_finite = [](float weight) { return std::isfinite(weight); };
    if (!std::all_of(weights.begin(), weights.end(), is_finite)) throw Refused("a weight is not finite");
    const size_t each = weights.size() / channels;
    op.weights.resize(weights.size());
    for (size_t channel = 0; channel < channels; ++channel) {
      float largest = 0;
      for (size_t i = 0; i < each; ++i) largest = std::max(largest, std::fabs(weights[channel * each + i]));
      const float scale = largest / 127;
      op.scales.push_back(scale);
      for (size_t i = 0; i < each; ++i)
        op.weights[channel * each + i] =
            scale > 0 ? static_cast<int8_t>(std::nearbyint(weights[channel * each + i] / scale)) : int8_t{0};
    }
  }

  void conv(const NodeProto& node) {
    const Attributes attributes(node);
    const std::vector<float> weights = constant(node.input(1));
    Operator& op = add(Kind::kProduct, node);
    const size_t channels = program_.tensors[op.output].shape[1];
    op.groups = static_cast<uint32_t>(attributes.integer("group", 1));
    const auto& dims = tensor_called(stated_as(node.input(1))).dims();
    if (dims.size() != 4) throw Refused("only convolutions of two dimensions are supported");
    set_window(attributes, node, {dims[2], dims[3]}, op);
    quantize(weights, channels, op);
    op.bias = node.input_size() > 2 ? constant(node.input(2)) : std::vector<float>(channels, 0);
  }

  // Lowers a matrix product to a convolution. Rows become images of one pixel.
  void gemm(const NodeProto& node) {
    const Attributes attributes(node);
    const auto in = shape_of(node.input(0)), out = shape_of(node.output(0));
    const bool is_plain =
        attributes.integer("transA", 0) == 0 && attributes.real("alpha", 1) == 1 && attributes.real("beta", 1) == 1;
    if (in.size() != 2 || out.size() != 2 || !is_plain) throw Refused("only plain matrix products are supported");
    const uint32_t rows = in[0], inner = in[1], columns = out[1];
    std::vector<float> weights = constant(node.input(1));
    if (weights.size() != size_t{inner} * columns) throw Refused("its weights have the wrong size");
    if (attributes.integer("transB", 0) == 0) weights = transposed(weights, inner, columns);
    const uint32_t from = tensor_of(node.input(0)), to = tensor_of(node.output(0));
    const uint32_t pixels = add_tensor("", {{rows, inner, 1, 1}, 0}),
                   result = add_tensor("", {{rows, columns, 1, 1}, 0});
    add_copy(from, pixels);
    Operator op;
    op.kind = Kind::kProduct;
    op.inputs = {pixels};
    op.output = result;
    quantize(weights, columns, op);
    op.bias = node.input_size() > 2 ? constant(node.input(2)) : std::vector<float>();
    if (op.bias.size() == 1) op.bias.assign(columns, op.bias[0]);
    op.bias.resize(columns);
    program_.operators.push_back(std::move(op));
    add_copy(result, to);
  }

  // Returns the quantized constant that `name` is dequantized from, or `name` itself.
  const std::string& stated_as(const std::string& name) const {
    const auto found = integers_.find(name);
    return found != integers_.end() ? found->second : name;
  }

  std::vector<float> zeros_of(const NodeProto& node, size_t count) const {
    const bool are_stated = node.input_size() > 2 && !node.input(2).empty();
    std::vector<float> zeros = are_stated ? constant(node.input(2)) : std::vector<float>(count);
    if (count == 0 || zeros.size() != count) throw Refused("its zero points do not match its scales");
    return zeros;
  }

  // Returns the per-tensor scale and zero point of a node.
  std::vector<float> step_of(const NodeProto& node) const {
    const std::vector<float> scales = constant(node.input(1));
    if (scales.size() != 1) throw Refused("only constants have scales by channel");
    return {scales[0], zeros_of(node, 1)[0]};
  }

  void quantize_linear(const NodeProto& node) { add(Kind::kQuantize, node).values = step_of(node); }

  void dequantize_linear(const NodeProto& node) {
    if (constants_.count(node.input(0)) == 0) {
      add(Kind::kDequantize, node).values = step_of(node);
      return;
    }
    std::vector<float> values = constant(node.input(0));
    const std::vector<float> scales = constant(node.input(1)), zeros = zeros_of(node, scales.size());
    const size_t each = scales.size() > 1 ? elements_after_axis(node) : std::max<size_t>(1, values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t channel = i / each % scales.size();
      values[i] = (values[i] - zeros[channel]) * scales[channel];
    }
    reals_[node.output(0)] = std::move(values);
    integers_[node.output(0)] = node.input(0);
  }

  size_t elements_after_axis(const NodeProto& node) const {
    const onnx::TensorProto& tensor = tensor_called(node.input(0));
    const int64_t stated = Attributes(node).integer("axis", 1), rank = tensor.dims_size();
    size_t elements = 1;
    for (int64_t axis = (stated < 0 ? stated + rank : stated) + 1; axis < rank; ++axis)
      elements *= static_cast<size_t>(std::max<int64_t>(1, tensor.dims(static_cast<int>(axis))));
    return elements;
  }

  static std::vector<float> transposed(const std::vector<float>& values, uint32_t rows, uint32_t columns) {
    std::vector<float> result(values.size());
    for (uint32_t row = 0; row < rows; ++row)
      for (uint32_t column = 0; column < columns; ++column)
        result[size_t{column} * rows + row] = values[size_t{row} * columns + column];
    return result;
  }

  void add_copy(uint32_t from, uint32_t to) {
    Operator op;
    op.kind = Kind::kCopy;
    op.inputs = {from};
    op.output = to;
    program_.operators.push_back(std::move(op));
  }

  void batch_norm(const NodeProto& node) {
    const float epsilon = Attributes(node).real("epsilon", 1e-5f);
    const std::vector<float> scale = constant(node.input(1)), bias = constant(node.input(2)),
                             mean = constant(node.input(3)), variance = constant(node.input(4));
    Operator& op = add(Kind::kAffine, node);
    for (size_t i = 0; i < scale.size(); ++i) {
      op.scales.push_back(scale[i] / std::sqrt(variance[i] + epsilon));
      op.bias.push_back(bias[i] - mean[i] * op.scales.back());
    }
  }

  void relu(const NodeProto& node) { add(Kind::kClip, node).values = {0, std::numeric_limits<float>::infinity()}; }

  void clip(const NodeProto& node) {
    const Attributes attributes(node);
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const auto bound = [&](int input, const char* name, float otherwise) {
      const bool is_input = node.input_size() > input && !node.input(input).empty();
      return is_input ? constant(node.input(input)).at(0) : attributes.real(name, otherwise);
    };
    const float low = bound(1, "min", -kInfinity), high = bound(2, "max", kInfinity);
    add(Kind::kClip, node).values = {low, high};
  }

  // Sets the operator's window. `kernel`: size of the weights; if empty, the attribute is used. The padding at the end
  // follows from the output's size.
  void set_window(const Attributes& attributes, const NodeProto& node, std::vector<int64_t> kernel, Operator& op) {
    if (kernel.empty()) kernel = attributes.integers("kernel_shape");
    if (kernel.size() != 2) throw Refused("only windows of two dimensions are supported");
    const std::string padding = attributes.text("auto_pad");
    if (!padding.empty() && padding != "NOTSET") throw Refused("auto_pad is not supported");
    const auto in = shape_of(node.input(0)), out = shape_of(node.output(0));
    const auto strides = attributes.integers("strides"), dilations = attributes.integers("dilations"),
               pads = attributes.integers("pads");
    for (size_t axis = 0; axis < 2; ++axis) {
      Window& window = op.window;
      window.kernel[axis] = static_cast<uint32_t>(kernel[axis]);
      window.stride[axis] = strides.empty() ? 1 : static_cast<uint32_t>(strides[axis]);
      window.dilation[axis] = dilations.empty() ? 1 : static_cast<uint32_t>(dilations[axis]);
      window.begin[axis] = pads.empty() ? 0 : static_cast<uint32_t>(pads[axis]);
      const int64_t reach = (kernel[axis] - 1) * window.dilation[axis] + 1;
      const int64_t needed = int64_t{out[2 + axis] - 1} * window.stride[axis] + reach;
      window.end[axis] = static_cast<uint32_t>(std::max<int64_t>(0, needed - in[2 + axis] - window.begin[axis]));
    }
  }

  void max_pool(const NodeProto& node) {
    Operator& op = add(Kind::kMaxPool, node);
    set_window(Attributes(node), node, {}, op);
  }

  void average_pool(const NodeProto& node) {
    const Attributes attributes(node);
    Operator& op = add(Kind::kAveragePool, node);
    set_window(attributes, node, {}, op);
    op.counts_padding = attributes.integer("count_include_pad", 0) != 0 ? 1 : 0;
    if (op.counts_padding != 0 && attributes.integer("ceil_mode", 0) != 0)
      throw Refused("padding is counted and the size is rounded up");
  }

  void global_average_pool(const NodeProto& node) {
    Operator& op = add(Kind::kAveragePool, node);
    const auto& in = program_.tensors[op.inputs[0]].shape;
    if (in.size() != 4) throw Refused("only averages of two dimensions are supported");
    op.window.kernel[0] = in[2];
    op.window.kernel[1] = in[3];
  }

  void add_tensors(const NodeProto& node) {
    if (shape_of(node.input(0)) != shape_of(node.input(1)))
      throw Refused("only sums of tensors of the same shape are supported");
    add(Kind::kAdd, node, 2);
  }

  void concat(const NodeProto& node) {
    Operator& op = add(Kind::kConcat, node, static_cast<size_t>(node.input_size()));
    op.axis = axis_of(Attributes(node).integer("axis", 1), op.output);
  }

  void response_norm(const NodeProto& node) {
    const Attributes attributes(node);
    Operator& op = add(Kind::kResponseNorm, node);
    op.values = {attributes.real("alpha", 1e-4f), attributes.real("beta", 0.75f), attributes.real("bias", 1)};
    op.size = static_cast<uint32_t>(attributes.integer("size", 1));
  }

  // Lowers a Softmax. Before opset 13, it covered all axes from `axis` on; this is equivalent if the later axes have
  // one element.
  void softmax(const NodeProto& node) {
    Operator& op = add(Kind::kSoftmax, node);
    op.axis = axis_of(Attributes(node).integer("axis", opset_ < 13 ? 1 : -1), op.output);
    const auto& shape = program_.tensors[op.output].shape;
    for (size_t axis = op.axis + 1; opset_ < 13 && axis < shape.size(); ++axis)
      if (shape[axis] != 1) throw Refused("a Softmax over several axes is not supported");
  }

  uint32_t axis_of(int64_t axis, uint32_t tensor) const {
    const auto rank = static_cast<int64_t>(program_.tensors[tensor].shape.size());
    return static_cast<uint32_t>(axis < 0 ? axis + rank : axis);
  }

  void copy(const NodeProto& node) { add(Kind::kCopy, node); }

  const onnx::GraphProto& graph_;
  const int64_t opset_;
  std::map<std::string, const onnx::TensorProto*> constants_;
  std::map<std::string, std::vector<float>> reals_;  // dequantized constants
  std::map<std::string, std::string> integers_;      // names of their quantized constants
  std::map<std::string, const onnx::TypeProto_Tensor*> types_;
  std::map<std::string, uint32_t> tensors_;
  Program program_;
};

// Converts Constant nodes to initializers.
void take_constants(onnx::GraphProto& graph) {
  google::protobuf::RepeatedPtrField<NodeProto> nodes;
  for (NodeProto& node : *graph.mutable_node()) {
    const bool is_tensor = node.op_type() == "Constant" && node.attribute_size() == 1 && node.attribute(0).has_t();
    if (!is_tensor) {
      *nodes.Add() = std::move(node);
      continue;
    }
    onnx::TensorProto* const tensor = graph.add_initializer();
    *tensor = node.attribute(0).t();
    tensor->set_name(node.output(0));
  }
  graph.mutable_node()->Swap(&nodes);
}

}  // namespace

Program lower(const std::string& bytes) {
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes)) throw Refused("it is not an ONNX model");
  take_constants(*model.mutable_graph());
  try {
    onnx::shape_inference::InferShapes(model);
  } catch (const std::exception& error) {
    throw Refused(std::string("shapes: ") + error.what());
  }
  int64_t version = 0;
  for (const auto& opset : model.opset_import())
    if (opset.domain().empty()) version = opset.version();
  return Lowering(model.graph(), version).run();
}

}  // namespace reference
