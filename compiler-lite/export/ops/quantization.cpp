// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/ops/activations.h"
#include "compiler-lite/export/ops/families.h"

namespace nestrt::compiler {
namespace {

// Returns the input: on real numbers, quantization is the identity. The exporter adds a QuantizeLinear after a
// quantized result and a DequantizeLinear before a quantized operand.
Result<std::string> write_real(NodeWriter& node) { return node.real(0); }

Result<std::string> write_requantize(NodeWriter& node) {
  return write_activation(node, node.attributes<ops::Requantize>().activation, node.real(0));
}

Result<std::string> write_dynamic_quantize(NodeWriter& node) {
  return node.write_all("DynamicQuantizeLinear", {node.real(0)}, {}, {true, true, true}).front();
}

// Indices of the inputs that follow the operands and zero points of MatMulInteger and ConvInteger.
constexpr size_t kExportScaleA = 4, kExportScaleB = 5, kExportBias = 6;

// Returns a vector of one number per channel in a shape that broadcasts to the result.
std::string per_channel(NodeWriter& node, size_t input, int trailing_axes) {
  if (node.operand(input).shape.num_elements() == 1 || trailing_axes == 0) return node.real(input);
  std::vector<int64_t> shape(static_cast<size_t>(trailing_axes + 1), 1);
  shape[0] = node.operand(input).shape.num_elements();
  return node.write("Reshape", {node.real(input), node.constant(shape)});
}

// Writes the sums, then the scales and the bias as float operators.
Result<std::string> write_integer_product(NodeWriter& node, const char* type, WrittenAttributes attributes,
                                          int trailing_axes) {
  std::vector<std::string> inputs;
  for (size_t i = 0; i < kExportScaleA; ++i) inputs.push_back(node.input(i));
  while (inputs.back().empty()) inputs.pop_back();
  std::string y = node.write(type, std::move(inputs), std::move(attributes));
  if (!node.has_input(kExportScaleA)) return y;
  y = node.write("Cast", {y}, {{"to", int64_t{1}}});
  const std::string scales =
      node.write("Mul", {node.real(kExportScaleA), per_channel(node, kExportScaleB, trailing_axes)});
  y = node.write("Mul", {y, scales});
  if (!node.has_input(kExportBias)) return y;
  return node.write("Add", {y, per_channel(node, kExportBias, trailing_axes)});
}

Result<std::string> write_mat_mul_integer(NodeWriter& node) {
  return write_integer_product(node, "MatMulInteger", {}, 0);
}

Result<std::string> write_conv_integer(NodeWriter& node) {
  const auto& op = node.attributes<ops::ConvInteger>();
  std::vector<int32_t> pads = op.pad_begin;
  pads.insert(pads.end(), op.pad_end.begin(), op.pad_end.end());
  return write_integer_product(node, "ConvInteger",
                               {{"kernel_shape", op.kernel},
                                {"strides", op.stride},
                                {"dilations", op.dilation},
                                {"pads", pads},
                                {"group", int64_t{op.group}}},
                               static_cast<int>(op.kernel.size()));
}

// Returns the weights of a MatMulNBits as floats [K, N], because ONNX does not support blocks before opset 21.
std::vector<float> dequantized_weights(NodeWriter& node) {
  constexpr int64_t kPanel = 16;
  const auto& op = node.attributes<ops::MatMulNBits>();
  const int64_t inner = node.operand(0).shape[1], columns = op.columns, block = op.block;
  const int64_t blocks = node.operand(2).shape[1], per_byte = 8 / op.bits, block_bytes = block / per_byte * kPanel;
  const bool has_zeros = node.has_input(3), has_u8 = has_zeros && node.operand(3).type == DataType::kU8;
  std::vector<float> weights(static_cast<size_t>(inner * columns));
  for (int64_t k = 0; k < inner; ++k)
    for (int64_t n = 0; n < columns; ++n) {
      const int64_t at = n / kPanel * blocks + k / block, within = k % block, entry = at * kPanel + n % kPanel;
      const uint8_t byte = node.operand(1).data<uint8_t>()[at * block_bytes + within / per_byte * kPanel + n % kPanel];
      const int q = byte >> (within % per_byte * op.bits) & ((1 << op.bits) - 1);
      const float zero = !has_zeros ? static_cast<float>(1 << (op.bits - 1))
                         : has_u8   ? static_cast<float>(node.operand(3).data<uint8_t>()[entry])
                                    : node.operand(3).data<float>()[entry];
      weights[static_cast<size_t>(k * columns + n)] =
          (static_cast<float>(q) - zero) * node.operand(2).data<float>()[entry];
    }
  return weights;
}

Result<std::string> write_mat_mul_nbits(NodeWriter& node) {
  const int64_t inner = node.operand(0).shape[1], columns = node.attributes<ops::MatMulNBits>().columns;
  std::vector<std::string> inputs = {node.real(0), node.floats(dequantized_weights(node), {inner, columns})};
  if (!node.has_input(4)) return node.write("MatMul", std::move(inputs));
  inputs.push_back(node.real(4));
  return node.write("Gemm", std::move(inputs));
}

constexpr ExportRule kQuantizationExportRules[] = {
    {ops::Kind::kConvInteger, write_conv_integer},
    {ops::Kind::kDynamicQuantize, write_dynamic_quantize},
    {ops::Kind::kMatMulInteger, write_mat_mul_integer},
    {ops::Kind::kMatMulNBits, write_mat_mul_nbits},
    {ops::Kind::kQuantize, write_real},
    {ops::Kind::kDequantize, write_real},
    {ops::Kind::kRequantize, write_requantize},
};

}  // namespace

std::span<const ExportRule> quantization_export_rules() { return kQuantizationExportRules; }

}  // namespace nestrt::compiler
