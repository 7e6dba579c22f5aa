// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/tflite/lite_node.h"

#include <fmt/core.h>

#include <algorithm>

#include "compiler-lite/import/constant_elements.h"

namespace nestrt::compiler {
namespace {

std::string label_of(const LiteGraph& graph, const std::string& code, size_t position,
                     const std::vector<int32_t>& outputs) {
  const bool named = !outputs.empty() && graph.exists(outputs[0]);
  return fmt::format("operator {} ({}{}{})", position, code, named ? ", computes " : "",
                     named ? fmt::format("'{}'", graph.name(outputs[0])) : "");
}

}  // namespace

LiteNode::LiteNode(LiteGraph& graph, const tflite::Operator& op, std::string code, size_t position)
    : graph_(graph),
      builder_(graph.builder()),
      op_(op),
      inputs_(lite_list(op.inputs())),
      outputs_(lite_list(op.outputs())),
      label_(label_of(graph, code, position, outputs_)),
      first_own_value_(builder_.graph().num_values()) {}

Status LiteNode::invalid(std::string_view what) const {
  return Status(Code::kInvalidModel, fmt::format("{}: {}", label_, what));
}

Status LiteNode::unsupported(std::string_view what) const {
  return Status(Code::kUnsupported, fmt::format("{}: {}", label_, what));
}

Status LiteNode::check_tensors(size_t count, bool needs_output) const {
  constexpr int32_t kAbsent = -1;
  const auto is_known = [&](int32_t tensor) { return tensor == kAbsent || graph_.exists(tensor); };
  if (!std::ranges::all_of(inputs_, is_known) || !std::ranges::all_of(outputs_, is_known))
    return invalid("refers to a tensor that does not exist");
  if (needs_output && !has_output(0)) return invalid("the first output is missing");
  for (size_t i = 0; i < count; ++i)
    if (!has_input(i)) return invalid(fmt::format("input {} is missing", i));
  return ok_status();
}

std::vector<size_t> LiteNode::all_inputs() const {
  std::vector<size_t> indices(inputs_.size());
  for (size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  return indices;
}

Result<Shape> LiteNode::input_shape(size_t index) {
  const bool first = graph_.is_channels_first(inputs_[index]);
  NESTRT_ASSIGN_OR_RETURN(const ValueId id, stored_input(index, first ? Form::kChannelsFirst : Form::kPlain));
  Shape result = shape(id);
  if (!first) return result;
  for (int axis = 0; axis < result.rank(); ++axis)
    result[axis] = shape(id)[axis_in_form(axis, result.rank(), Form::kChannelsFirst)];
  return result;
}

Form LiteNode::common_form(const std::vector<size_t>& indices) const {
  const bool first = std::ranges::any_of(indices, [&](size_t i) { return graph_.is_channels_first(inputs_[i]); });
  return first ? Form::kChannelsFirst : Form::kPlain;
}

Result<ValueId> LiteNode::operand(size_t index, Form form, int rank, Reader reader) {
  NESTRT_ASSIGN_OR_RETURN(const Shape stated, input_shape(index));
  if (form == Form::kPlain || stated.rank() == rank || stated.num_elements() == 1) return (this->*reader)(index, form);
  NESTRT_ASSIGN_OR_RETURN(const ValueId id, (this->*reader)(index, Form::kPlain));
  Shape full;
  for (int axis = stated.rank(); axis < rank; ++axis) full.push_back(1);
  for (const int64_t dim : stated) full.push_back(dim);
  NESTRT_ASSIGN_OR_RETURN(const ValueId reshaped, reshape(id, full));
  return transpose(reshaped, permutation_to(form, rank));
}

Result<LiteNode::Operands> LiteNode::operands(const std::vector<size_t>& indices, Reader reader) {
  Operands result;
  result.form = common_form(indices);
  int rank = 0;
  for (const size_t index : indices) {
    if (!has_input(index)) return invalid(fmt::format("input {} is missing", index));
    NESTRT_ASSIGN_OR_RETURN(const Shape stated, input_shape(index));
    rank = std::max(rank, stated.rank());
  }
  for (const size_t index : indices) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId id, operand(index, result.form, rank, reader));
    result.values.push_back(id);
  }
  return result;
}

Result<std::vector<int64_t>> LiteNode::ints(size_t index, std::string_view what) {
  if (!has_input(index)) return invalid(fmt::format("{} is missing", what));
  NESTRT_ASSIGN_OR_RETURN(const ValueId id, stored_input(index));
  if (!value(id).is_constant()) return unsupported(fmt::format("{} must be known at compile time", what));
  if (value(id).type == DataType::kF32) return invalid(fmt::format("{} must be integers", what));
  NESTRT_RETURN_IF_ERROR(check_constant(DataType::kS64, shape(id)));
  return integers_as<int64_t>(value(id));
}

Result<std::vector<float>> LiteNode::floats(size_t index, std::string_view what) {
  if (!has_input(index)) return invalid(fmt::format("{} is missing", what));
  NESTRT_ASSIGN_OR_RETURN(const ValueId id, input(index));
  if (!value(id).is_constant()) return unsupported(fmt::format("{} must be known at compile time", what));
  NESTRT_RETURN_IF_ERROR(check_constant(DataType::kF32, shape(id)));
  return value(id).type == DataType::kF32 ? elements_as<float, float>(value(id)) : integers_as<float>(value(id));
}

Result<int64_t> LiteNode::one_int(size_t index, std::string_view what) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> all, ints(index, what));
  if (all.size() == 1) return all.front();
  return invalid(fmt::format("{} must be one number, not {}", what, all.size()));
}

Result<int> LiteNode::axis(int64_t stated, int rank) const {
  if (stated >= -rank && stated < rank) return static_cast<int>(stated < 0 ? stated + rank : stated);
  return invalid(fmt::format("axis {} is outside a tensor of rank {}", stated, rank));
}

std::string LiteNode::scope() const {
  const bool named = !outputs_.empty() && graph_.exists(outputs_[0]);
  return named ? graph_.name(outputs_[0]) : label_;
}

std::string LiteNode::next_name() { return fmt::format("{}:{}", scope(), num_added_++); }

Result<ValueId> LiteNode::add(ops::Attributes attributes, std::vector<ValueId> inputs) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> added,
                          builder_.add(label_, scope(), std::move(attributes), std::move(inputs), {next_name()}));
  return added.front();
}

Result<ValueId> LiteNode::reshape(ValueId id, const Shape& shape) {
  if (value(id).shape == shape) return id;
  return add(ops::Reshape{.shape = dims_of(shape)}, {id});
}

Result<ValueId> LiteNode::transpose(ValueId id, const std::vector<int32_t>& permutation) {
  const std::vector<int> order(permutation.begin(), permutation.end());
  if (const ValueId known = builder_.find_transposed(id, order); known != kNoValue) return known;
  NESTRT_ASSIGN_OR_RETURN(const ValueId transposed, add(ops::Transpose{.permutation = permutation}, {id}));
  if (value(transposed).is_constant()) builder_.remember_transposed(id, order, transposed);
  return transposed;
}

Result<ValueId> LiteNode::slice(ValueId id, const std::vector<int64_t>& start, const std::vector<int64_t>& step,
                                const Shape& shape) {
  const auto is_one = [](int64_t entry) { return entry == 1; };
  if (value(id).shape == shape && std::ranges::all_of(step, is_one)) return id;
  return add(ops::Slice{.start = start, .step = step, .shape = dims_of(shape)}, {id});
}

Result<ValueId> LiteNode::cast(ValueId id, DataType type) {
  if (value(id).type == type) return id;
  return add(ops::Cast{.to = type}, {id});
}

Result<ValueId> LiteNode::unary(ops::UnaryKind kind, ValueId id, float alpha, float beta) {
  return add(ops::Unary{.kind = kind, .alpha = alpha, .beta = beta}, {id});
}

Result<ValueId> LiteNode::binary(ops::BinaryKind kind, ValueId a, ValueId b) {
  ops::Binary op;
  op.kind = kind;
  return add(op, {a, b});
}

Result<ValueId> LiteNode::constant(DataType type, const Shape& shape, Bytes elements) {
  auto id = builder_.add_constant(next_name(), type, shape, std::move(elements));
  return id ? std::move(id) : Result<ValueId>(id.error().with_context(label_));
}

Result<ValueId> LiteNode::reinterpret(ValueId id, const std::optional<plan::Quantization>& quantization) {
  return builder_.reinterpret(label_, next_name(), id, quantization);
}

Result<ValueId> LiteNode::dequantized(size_t index, const plan::Quantization& quantization) {
  NESTRT_ASSIGN_OR_RETURN(ValueId id, stored_input(index));
  NESTRT_ASSIGN_OR_RETURN(id, reinterpret(id, quantization));
  return add(ops::Dequantize(), {id});
}

Result<ValueId> LiteNode::add_quantized(ops::Attributes attributes, ValueId id,
                                        const plan::Quantization& quantization) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> added,
                          builder_.add(label_, scope(), std::move(attributes), {id}, {next_name()}, quantization));
  return added.front();
}

bool LiteNode::is_quantized_output() const {
  const Result<LiteGraph::Quantization> quantization = graph_.quantization(outputs_[0]);
  return quantization && quantization->has_value();
}

Result<ValueId> LiteNode::activated(ValueId id, tflite::FusedActivation activation) {
  switch (activation) {
    case tflite::FusedActivation::NONE:
      return id;
    case tflite::FusedActivation::RELU:
      return unary(ops::UnaryKind::kRelu, id);
    case tflite::FusedActivation::RELU_N1_TO_1:
      return unary(ops::UnaryKind::kClip, id, -1, 1);
    case tflite::FusedActivation::RELU6:
      return unary(ops::UnaryKind::kClip, id, 0, 6);
    case tflite::FusedActivation::TANH:
      return unary(ops::UnaryKind::kTanh, id);
    default:
      return unsupported(
          fmt::format("fused activation {} is not supported", tflite::EnumNameFusedActivation(activation)));
  }
}

Status LiteNode::check_constant(DataType type, const Shape& shape) const {
  return builder_.check_constant(label_, type, shape);
}

Status LiteNode::set(size_t index, ValueId id, Form form) {
  if (!has_output(index)) return ok_status();
  const int32_t tensor = outputs_[index];
  NESTRT_RETURN_IF_ERROR(graph_.define(tensor, id, form).with_context(label_));
  NESTRT_ASSIGN_OR_RETURN(const ValueId stored, graph_.stored(tensor, form));
  const bool is_own = static_cast<size_t>(stored) >= first_own_value_;
  if (is_own)
    builder_.graph().value(stored).name = graph_.name(tensor) + (form == Form::kPlain ? "" : "/channels_first");
  return ok_status();
}

}  // namespace nestrt::compiler
