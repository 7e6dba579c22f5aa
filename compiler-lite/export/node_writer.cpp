// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/node_writer.h"

#include <fmt/core.h>

#include <cmath>

#include "compiler-lite/export/model_writer.h"

namespace nestrt::compiler {
namespace {

template <typename T>
Bytes integer_bytes(double element) {
  constexpr double kLow = static_cast<double>(std::numeric_limits<T>::min());
  constexpr double kAbove = static_cast<double>(std::numeric_limits<T>::max() / 2 + 1) * 2;
  const T integer = element >= kAbove ? std::numeric_limits<T>::max()
                    : element > kLow  ? static_cast<T>(element)
                                      : std::numeric_limits<T>::min();
  return to_bytes(std::vector<T>{integer});
}

// Integers saturate.
Bytes scalar_bytes(DataType type, double element) {
  switch (type) {
    case DataType::kF32:
      return to_bytes(std::vector{static_cast<float>(element)});
    case DataType::kS32:
      return integer_bytes<int32_t>(element);
    case DataType::kS64:
      return integer_bytes<int64_t>(element);
    case DataType::kS8:
      return integer_bytes<int8_t>(element);
    case DataType::kU8:
    case DataType::kBool:
      return integer_bytes<uint8_t>(element);
  }
  return {};
}

Bytes zero_points_of(const plan::Quantization& quantization, size_t count, DataType type) {
  Bytes all;
  for (size_t i = 0; i < count; ++i) {
    const Bytes one = scalar_bytes(type, quantization.zero_points.empty() ? 0 : quantization.zero_points[i]);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

}  // namespace

std::vector<float> scales_of(const plan::Quantization& quantization) {
  if (!quantization.scales.empty()) return quantization.scales;
  std::vector<float> scales;
  for (const int8_t exponent : quantization.exponents) scales.push_back(std::ldexp(1.0f, -exponent));
  return scales;
}

const ExportForm& NodeWriter::form() const { return model_.form(); }

int64_t NodeWriter::opset() const { return form().opset; }

const Graph& NodeWriter::graph() const { return model_.graph(); }

Status NodeWriter::unsupported(std::string_view what) const {
  return Status(Code::kUnsupported, fmt::format("node '{}' ({}): {}", node_.name, ops::name(node_.kind()), what));
}

const Value& NodeWriter::operand(size_t index) const { return graph().value(node_.inputs[index]); }

const Value& NodeWriter::result() const { return graph().value(node_.outputs[0]); }

std::string NodeWriter::input(size_t index) const {
  return has_input(index) ? model_.name_of(node_.inputs[index]) : std::string();
}

std::string NodeWriter::real(size_t index) {
  return has_input(index) ? model_.real(*this, node_.inputs[index]) : std::string();
}

std::string NodeWriter::real_of(ValueId id) { return model_.real(*this, id); }

std::string NodeWriter::transposed_real(size_t index) { return model_.transposed_real(*this, node_.inputs[index]); }

std::string NodeWriter::dequantized(size_t index, const plan::Quantization& quantization) {
  const auto stored = [&] { return input(index); };
  return model_.dequantized(*this, operand(index), quantization, stored);
}

std::vector<std::string> NodeWriter::reals(size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back(real(i));
  while (!names.empty() && names.back().empty()) names.pop_back();
  return names;
}

std::string NodeWriter::write(std::string_view op_type, std::vector<std::string> inputs, WrittenAttributes attributes) {
  return model_.write_node(node_, op_type, std::move(inputs), attributes);
}

std::vector<std::string> NodeWriter::write_all(std::string_view op_type, std::vector<std::string> inputs,
                                               WrittenAttributes attributes, const std::vector<bool>& wanted) {
  return model_.write_outputs_of(node_, op_type, std::move(inputs), attributes, wanted);
}

std::string NodeWriter::constant(const std::vector<int64_t>& elements) {
  return model_.add_initializer(node_, "integers", DataType::kS64, {static_cast<int64_t>(elements.size())},
                                to_bytes(elements));
}

std::string NodeWriter::floats(const std::vector<float>& elements) {
  return floats(elements, {static_cast<int64_t>(elements.size())});
}

std::string NodeWriter::floats(const std::vector<float>& elements, const Shape& shape) {
  return model_.add_initializer(node_, "floats", DataType::kF32, shape, to_bytes(elements));
}

std::string NodeWriter::scalar(DataType type, double element) {
  return model_.add_initializer(node_, "scalar", type, Shape(), scalar_bytes(type, element));
}

namespace {

// Operands of QuantizeLinear and DequantizeLinear. Scale and zero point are scalars, or vectors along an axis.
struct Step {
  std::vector<std::string> inputs;
  WrittenAttributes attributes;
};

Step step_of(ModelWriter& model, const Node& node, const std::string& x, const plan::Quantization& quantization,
             DataType type) {
  const std::vector<float> scales = scales_of(quantization);
  const auto count = static_cast<int64_t>(scales.size());
  const Shape shape = count == 1 ? Shape() : Shape{count};
  Step step;
  step.inputs = {x, model.add_initializer(node, "scale", DataType::kF32, shape, to_bytes(scales))};
  if (type != DataType::kS32 || model.form().all_zero_points)  // that of s32 is 0
    step.inputs.push_back(
        model.add_initializer(node, "zero_point", type, shape, zero_points_of(quantization, scales.size(), type)));
  if (count > 1) step.attributes.emplace_back("axis", int64_t{quantization.axis});
  return step;
}

}  // namespace

std::string NodeWriter::quantize(const std::string& real, const plan::Quantization& quantization, DataType type) {
  Step step = step_of(model_, node_, real, quantization, type);
  return write("QuantizeLinear", std::move(step.inputs), std::move(step.attributes));
}

std::string NodeWriter::dequantize(const std::string& integers, const plan::Quantization& quantization, DataType type) {
  Step step = step_of(model_, node_, integers, quantization, type);
  return write("DequantizeLinear", std::move(step.inputs), std::move(step.attributes));
}

}  // namespace nestrt::compiler
