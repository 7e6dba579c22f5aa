// SPDX-License-Identifier: Apache-2.0
// UNIDIRECTIONAL_SEQUENCE_LSTM. As in the ONNX import, one product computes the contribution of the inputs to all gates
// in all steps, and a Recurrent operator computes the rest. The file's gate order is input, forget, cell, output;
// Recurrent expects input, output, forget, cell.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "compiler-lite/import/tflite/lite_table.h"

namespace nestrt::compiler {
namespace {

constexpr uint8_t kSequenceLstm = 71;

// Indices of inputs. Each group lists the gates in the file's order.
constexpr size_t kInputWeights = 1, kRecurrentWeights = 5, kPeepholes = 9, kBiases = 12, kProjection = 16,
                 kActivationState = 18, kCellState = 19, kNormalization = 20, kNumNormalizations = 4;
constexpr std::array<size_t, 4> kGateOrder = {0, 3, 1, 2};   // input, output, forget, cell
constexpr std::array<size_t, 3> kPeepholeOrder = {0, 2, 1};  // input, output, forget of input, forget, output

// Returns the inputs of a group, concatenated along axis 0 in the gate order of Recurrent; kNoValue if none is present.
template <size_t kCount>
Result<ValueId> joined(LiteNode& node, size_t first, const std::array<size_t, kCount>& order) {
  std::vector<ValueId> parts;
  for (const size_t gate : order) {
    if (!node.has_input(first + gate)) continue;
    NESTRT_ASSIGN_OR_RETURN(const ValueId part, node.input(first + gate));
    parts.push_back(part);
  }
  if (parts.empty()) return kNoValue;
  if (parts.size() != kCount)
    return node.unsupported(
        "gates without weights, peepholes or biases (coupled input and forget gates) are not "
        "supported");
  return node.add(ops::Concat{.axis = 0}, std::move(parts));
}

// A state that the interpreter keeps between runs is zero in the first run.
Result<ValueId> first_state(LiteNode& node, size_t index) {
  if (!node.has_input(index) || node.graph().tensor(node.input_tensor(index)).is_variable()) return kNoValue;
  return node.input(index);
}

Status check_features(LiteNode& node) {
  const auto& options = node.options<tflite::SequenceLstmOptions>();
  if (node.has_input(kProjection)) return node.unsupported("projections are not supported");
  for (size_t i = 0; i < kNumNormalizations; ++i)
    if (node.has_input(kNormalization + i)) return node.unsupported("layer normalization is not supported");
  if (options.cell_clip() != 0 || options.proj_clip() != 0) return node.unsupported("clipping is not supported");
  if (options.diagonal_recurrent_tensors()) return node.unsupported("diagonal weights are not supported");
  if (options.activation() != tflite::FusedActivation::TANH)
    return node.unsupported(fmt::format("activation {} is not supported; only TANH is",
                                        tflite::EnumNameFusedActivation(options.activation())));
  return ok_status();
}

// Returns the contribution of the inputs to the gates, [steps, batch, 4 * H].
Result<ValueId> gates_of_inputs(LiteNode& node, ValueId x) {
  NESTRT_ASSIGN_OR_RETURN(ValueId weights, joined(node, kInputWeights, kGateOrder));
  if (weights == kNoValue || node.shape(weights).rank() != 2) return node.invalid("weights of the input are missing");
  NESTRT_ASSIGN_OR_RETURN(weights, node.transpose(weights, {1, 0}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId product, node.add(ops::MatMul(), {x, weights}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId bias, joined(node, kBiases, kGateOrder));
  return bias == kNoValue ? Result<ValueId>(product) : node.binary(ops::BinaryKind::kAdd, product, bias);
}

Status import_sequence_lstm(LiteNode& node) {
  NESTRT_RETURN_IF_ERROR(check_features(node));
  const bool time_major = node.options<tflite::SequenceLstmOptions>().time_major();
  NESTRT_ASSIGN_OR_RETURN(ValueId x, node.input(0));
  if (node.shape(x).rank() != 3) return node.invalid("the input must have rank 3");
  if (!time_major) {
    NESTRT_ASSIGN_OR_RETURN(x, node.transpose(x, {1, 0, 2}));
  }
  const int64_t steps = node.shape(x)[0], batch = node.shape(x)[1];
  NESTRT_ASSIGN_OR_RETURN(const ValueId gates, gates_of_inputs(node, x));
  NESTRT_ASSIGN_OR_RETURN(ValueId recurrence, joined(node, kRecurrentWeights, kGateOrder));
  if (recurrence == kNoValue || node.shape(recurrence).rank() != 2)
    return node.invalid("recurrent weights are missing");
  NESTRT_ASSIGN_OR_RETURN(recurrence, node.transpose(recurrence, {1, 0}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId peepholes, joined(node, kPeepholes, kPeepholeOrder));
  NESTRT_ASSIGN_OR_RETURN(const ValueId state, first_state(node, kActivationState));
  NESTRT_ASSIGN_OR_RETURN(const ValueId cell, first_state(node, kCellState));
  ops::Recurrent op;
  op.kind = ops::RecurrentKind::kLstm;
  op.gate.kind = ops::ActivationKind::kSigmoid;
  op.candidate.kind = op.cell.kind = ops::ActivationKind::kTanh;
  std::vector<ValueId> operands = {gates, recurrence, kNoValue, state, cell, peepholes};
  while (operands.back() == kNoValue) operands.pop_back();
  NESTRT_ASSIGN_OR_RETURN(const ValueId states, node.add(op, std::move(operands)));
  const Shape all{steps, batch, node.shape(states)[2]};  // without the last cell
  NESTRT_ASSIGN_OR_RETURN(ValueId y, node.slice(states, {0, 0, 0}, {1, 1, 1}, all));
  if (!time_major) {
    NESTRT_ASSIGN_OR_RETURN(y, node.transpose(y, {1, 0, 2}));
  }
  return node.set(0, y);
}

constexpr LiteRule kLiteRecurrentRules[] = {
    lite_rule<tflite::SequenceLstmOptions>(LiteOp::UNIDIRECTIONAL_SEQUENCE_LSTM, 1, import_sequence_lstm,
                                           kSequenceLstm),
};

}  // namespace

std::span<const LiteRule> lite_recurrent_rules() { return kLiteRecurrentRules; }

}  // namespace nestrt::compiler
