// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/tflite/lite_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "compiler-lite/import/tflite/lite_constants.h"

namespace nestrt::compiler {
namespace {

using tflite::ElementType;

size_t slot(Form form) { return static_cast<size_t>(form); }
Form other(Form form) { return form == Form::kPlain ? Form::kChannelsFirst : Form::kPlain; }

bool can_have_scale(ElementType type) {
  return type == ElementType::INT8 || type == ElementType::UINT8 || type == ElementType::INT4;
}

bool fits_type(ElementType type, int64_t zero_point) {
  if (type == ElementType::UINT8) return zero_point >= 0 && zero_point <= 255;
  return zero_point >= -128 && zero_point <= 127;
}

}  // namespace

int axis_in_form(int axis, int rank, Form form) {
  if (form == Form::kPlain || axis == 0) return axis;
  return axis == rank - 1 ? 1 : axis + 1;
}

std::vector<int32_t> permutation_to(Form form, int rank) {
  std::vector<int32_t> plain(static_cast<size_t>(rank));
  for (int axis = 0; axis < rank; ++axis) plain[static_cast<size_t>(axis)] = axis;
  const std::vector<int32_t> first = in_form(plain, Form::kChannelsFirst);
  if (form == Form::kChannelsFirst) return first;
  for (int axis = 0; axis < rank; ++axis) plain[static_cast<size_t>(first[static_cast<size_t>(axis)])] = axis;
  return plain;
}

plan::Quantization symmetric_steps(float scale) {
  plan::Quantization steps;
  steps.scales = {scale};
  steps.zero_points = {0};
  return steps;
}

LiteGraph::LiteGraph(LiteContext& context, int32_t subgraph, std::string scope)
    : context_(context),
      builder_(context.builder),
      subgraph_(subgraph),
      scope_(std::move(scope)),
      tensors_(*context.file.subgraph(subgraph)->tensors()),
      forms_(context.constants[subgraph]) {
  forms_.resize(tensors_.size());
}

ValueId LiteGraph::keep(int32_t index, std::array<ValueId, 2> LiteForms::*kind, Form form, ValueId id) {
  (forms(index).*kind)[slot(form)] = id;
  if (!forms(index).is_constant) return id;
  std::vector<LiteForms>& shared = context_.constants[subgraph_];
  shared.resize(tensors_.size());
  shared[static_cast<size_t>(index)] = forms(index);
  return id;
}

std::string LiteGraph::name(int32_t index) const {
  std::string name = lite_text(tensor(index).name());
  return scope_ + (name.empty() ? fmt::format("tensor_{}", index) : name);
}

std::string LiteGraph::label(int32_t index) const { return fmt::format("tensor '{}'", name(index)); }

Result<DataType> LiteGraph::type(int32_t index) const {
  const ElementType type = tensor(index).type();
  // int16 activations have a scale; they are computed as real numbers.
  if (type == ElementType::INT16 && tensor(index).quantization() != nullptr &&
      lite_size(tensor(index).quantization()->scale()) > 0)
    return DataType::kF32;
  const std::optional<DataType> converted = lite_type(type);
  if (converted) return *converted;
  return Status(Code::kUnsupported, fmt::format("{}: type {} is not supported; supported: FLOAT32, FLOAT16, FLOAT64, "
                                                "BFLOAT16, INT4, INT8, UINT8, INT16, INT32, INT64, BOOL",
                                                label(index), tflite::EnumNameElementType(type)));
}

Result<LiteGraph::Quantization> LiteGraph::quantization(int32_t index) const {
  const tflite::Tensor& found = tensor(index);
  const tflite::QuantizationParameters* stated = found.quantization();
  if (stated == nullptr || !can_have_scale(found.type())) return Quantization();
  const auto fail = [&](std::string_view what) {
    return Status(Code::kInvalidModel, fmt::format("{}: {}", label(index), what));
  };
  if (stated->details_type() != 0)
    return Status(Code::kUnsupported, fmt::format("{}: quantization by block is not supported", label(index)));
  if (lite_size(stated->scale()) == 0) return Quantization();
  plan::Quantization result;
  result.scales = lite_list(stated->scale());
  const std::vector<int64_t> zero_points = lite_list(stated->zero_point());
  if (!zero_points.empty() && zero_points.size() != result.scales.size())
    return fail(fmt::format("{} scales do not match {} zero points", result.scales.size(), zero_points.size()));
  for (const float scale : result.scales)
    if (!(std::isfinite(scale) && scale > 0)) return fail("scales must be positive and finite");
  for (const int64_t zero_point : zero_points)
    if (!fits_type(found.type(), zero_point)) return fail(fmt::format("zero point {} is out of range", zero_point));
  result.zero_points.assign(zero_points.begin(), zero_points.end());
  result.zero_points.resize(result.scales.size(), 0);
  if (result.scales.size() == 1) return Quantization(std::move(result));
  const auto dims = lite_list(found.shape());
  const int32_t axis = stated->quantized_dimension();
  if (axis < 0 || static_cast<size_t>(axis) >= dims.size() ||
      static_cast<size_t>(dims[static_cast<size_t>(axis)]) != result.scales.size())
    return fail(fmt::format("{} scales do not fit axis {}", result.scales.size(), axis));
  result.axis = axis;
  return Quantization(std::move(result));
}

bool LiteGraph::is_defined(int32_t index) const {
  const LiteForms& found = forms_[static_cast<size_t>(index)];
  return found.stored[0] != kNoValue || found.stored[1] != kNoValue;
}

bool LiteGraph::is_channels_first(int32_t index) const {
  const LiteForms& found = forms_[static_cast<size_t>(index)];
  return found.stored[slot(Form::kPlain)] == kNoValue && found.stored[slot(Form::kChannelsFirst)] != kNoValue;
}

Result<ValueId> LiteGraph::add(int32_t index, std::string name, ops::Attributes attributes, ValueId input,
                               const Quantization& quantization) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> outputs,
                          builder_.add(label(index), name, std::move(attributes), {input}, {name}, quantization));
  return outputs.front();
}

Result<ValueId> LiteGraph::stored(int32_t index, Form form) {
  if (!is_defined(index)) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId constant, load_constant(index));
    forms(index).is_constant = true;
    keep(index, &LiteForms::stored, Form::kPlain, constant);
  }
  const ValueId present = forms(index).stored[slot(form)];
  if (present != kNoValue) return present;
  const ValueId source = forms(index).stored[slot(other(form))];
  const int rank = builder_.graph().value(source).shape.rank();
  if (rank < 3) return source;
  const Quantization quantization = builder_.graph().value(source).quantization;
  const std::string name_of_form = name(index) + (form == Form::kPlain ? "/plain" : "/channels_first");
  NESTRT_ASSIGN_OR_RETURN(
      const ValueId id,
      add(index, name_of_form, ops::Transpose{.permutation = permutation_to(form, rank)}, source, quantization));
  builder_.graph().value(id).same_elements_as = original_name(builder_.graph().value(source));
  return keep(index, &LiteForms::stored, form, id);
}

Result<ValueId> LiteGraph::real(int32_t index, Form form) {
  if (forms(index).real[slot(form)] != kNoValue) return forms(index).real[slot(form)];
  NESTRT_ASSIGN_OR_RETURN(const Quantization scales, quantization(index));
  if (!scales) return stored(index, form);
  // The axis of the scales refers to the plain form.
  const bool transposes = form == Form::kChannelsFirst && scales->axis != -1;
  NESTRT_ASSIGN_OR_RETURN(ValueId id, stored(index, transposes ? Form::kPlain : form));
  NESTRT_ASSIGN_OR_RETURN(id, add(index, name(index) + "/real", ops::Dequantize(), id));
  const int rank = builder_.graph().value(id).shape.rank();
  if (transposes && rank >= 3) {
    const ops::Transpose transpose{.permutation = permutation_to(form, rank)};
    NESTRT_ASSIGN_OR_RETURN(id, add(index, name(index) + "/real_channels_first", transpose, id));
  }
  return keep(index, &LiteForms::real, form, id);
}

Result<std::optional<float>> LiteGraph::wide_scale(int32_t index) const {
  const tflite::QuantizationParameters* stated = tensor(index).quantization();
  if (tensor(index).type() != ElementType::INT16 || stated == nullptr || lite_size(stated->scale()) != 1)
    return std::optional<float>();
  const float scale = stated->scale()->Get(0);
  if (std::isfinite(scale) && scale > 0) return std::optional(scale);
  return Status(Code::kInvalidModel, fmt::format("{}: scales must be positive and finite", label(index)));
}

Result<ValueId> LiteGraph::saturated(int32_t index, ValueId id) {
  NESTRT_ASSIGN_OR_RETURN(const std::optional<float> scale, wide_scale(index));
  if (!scale) return id;
  const ops::Unary clip{.kind = ops::UnaryKind::kClip, .alpha = INT16_MIN * *scale, .beta = INT16_MAX * *scale};
  return add(index, name(index) + "/saturated", clip, id);
}

Status LiteGraph::define(int32_t index, ValueId id, Form form) {
  if (is_defined(index)) return Status(Code::kInvalidModel, fmt::format("{} is computed twice", label(index)));
  NESTRT_ASSIGN_OR_RETURN(const Quantization scales, quantization(index));
  const DataType type = builder_.graph().value(id).type;
  if (scales && type == DataType::kF32) {
    if (scales->axis != -1)
      return Status(Code::kUnsupported, fmt::format("{}: a result with several scales is not supported", label(index)));
    NESTRT_ASSIGN_OR_RETURN(const DataType to, this->type(index));
    NESTRT_ASSIGN_OR_RETURN(id, add(index, name(index), ops::Quantize{.to = to}, id, scales));
  }
  if (type == DataType::kF32 && !scales) {
    NESTRT_ASSIGN_OR_RETURN(id, saturated(index, id));
  }
  forms(index).stored[slot(form)] = id;
  return ok_status();
}

Status LiteGraph::define_input(int32_t index, ValueId id) {
  if (is_defined(index)) return Status(Code::kInvalidModel, fmt::format("{} is an input twice", label(index)));
  NESTRT_ASSIGN_OR_RETURN(const Quantization scales, quantization(index));
  if (scales) {
    NESTRT_ASSIGN_OR_RETURN(id, builder_.reinterpret(label(index), name(index) + "/quantized", id, scales));
  }
  forms(index).stored[slot(Form::kPlain)] = id;
  return ok_status();
}

Status LiteGraph::define_argument(int32_t index, ValueId id) {
  if (is_defined(index)) return Status(Code::kInvalidModel, fmt::format("{} is an input twice", label(index)));
  forms(index).stored[slot(Form::kPlain)] = id;
  return ok_status();
}

Result<std::shared_ptr<const Bytes>> LiteGraph::elements_of(int32_t index, DataType type, const Shape& shape) {
  const tflite::Tensor& found = tensor(index);
  const auto key = std::pair(found.buffer(), found.type());
  const auto count = static_cast<size_t>(shape.num_elements());
  if (const auto known = context_.elements.find(key); known != context_.elements.end()) {
    if (known->second->size() == count * size_bytes(type)) return known->second;
  }
  NESTRT_ASSIGN_OR_RETURN(const std::span<const std::byte> raw, file().buffer(found.buffer()));
  if (raw.size() != lite_bytes(found.type(), count))
    return Status(Code::kInvalidModel, fmt::format("{} of shape {} has {} bytes, expected {}", label(index),
                                                   shape.to_string(), raw.size(), lite_bytes(found.type(), count)));
  auto elements = std::make_shared<const Bytes>(decode_lite(found.type(), raw, count));
  const bool is_narrow = type == DataType::kS8 || type == DataType::kU8;
  builder_.graph().folding.extend(elements->size() * (is_narrow ? sizeof(float) : 1));
  context_.elements[key] = elements;
  return elements;
}

Result<Value> LiteGraph::read_constant(int32_t index, DataType type) {
  const tflite::Tensor& found = tensor(index);
  const auto fail = [&](Code code, std::string_view what) {
    return Status(code, fmt::format("{} {}", label(index), what));
  };
  NESTRT_ASSIGN_OR_RETURN(const std::span<const std::byte> raw, file().buffer(found.buffer()));
  const auto dims = lite_list(found.shape());
  const bool is_empty = std::ranges::find(dims, 0) != dims.end();
  if (raw.empty() && !is_empty) return fail(Code::kInvalidModel, "is read before an operator computes it");
  if (found.sparsity() != nullptr)
    return fail(Code::kUnsupported, "has sparse weights, which are not supported; convert the model without them");
  if (dims.size() > static_cast<size_t>(Shape::kMaxRank))
    return fail(Code::kUnsupported, fmt::format("has rank {}; at most {} is supported", dims.size(), Shape::kMaxRank));
  Value value;
  value.name = name(index);
  value.type = type;
  for (const int32_t dim : dims) value.shape.push_back(dim);
  NESTRT_RETURN_IF_ERROR(builder_.check_size(value.name, value.type, value.shape));
  NESTRT_ASSIGN_OR_RETURN(value.constant, elements_of(index, value.type, value.shape));
  return value;
}

Result<ValueId> LiteGraph::load_wide_constant(int32_t index) {
  NESTRT_ASSIGN_OR_RETURN(const std::optional<float> scale, wide_scale(index));
  const std::vector<int64_t> zero_points = lite_list(tensor(index).quantization()->zero_point());
  if (!scale || std::ranges::any_of(zero_points, [](int64_t zero_point) { return zero_point != 0; }))
    return Status(
        Code::kUnsupported,
        fmt::format("{}: a constant of int16 must have one scale and, if it has a zero point, 0", label(index)));
  NESTRT_ASSIGN_OR_RETURN(Value value, read_constant(index, DataType::kS32));
  value.quantization = symmetric_steps(*scale);
  return add(index, name(index) + "/real", ops::Dequantize(), builder_.graph().add_value(std::move(value)));
}

Result<ValueId> LiteGraph::load_constant(int32_t index) {
  NESTRT_ASSIGN_OR_RETURN(const DataType type, this->type(index));
  if (tensor(index).type() == ElementType::INT16 && type == DataType::kF32) return load_wide_constant(index);
  NESTRT_ASSIGN_OR_RETURN(Value value, read_constant(index, type));
  NESTRT_ASSIGN_OR_RETURN(value.quantization, quantization(index));
  return builder_.graph().add_value(std::move(value));
}

}  // namespace nestrt::compiler
