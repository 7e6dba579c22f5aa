// SPDX-License-Identifier: Apache-2.0
// Exports RNN, GRU and LSTM with one direction. An earlier operator multiplies the inputs by their weights, so the
// input weights of the ONNX node are an identity matrix.
#include "compiler-lite/export/ops/families.h"
#include "compiler-lite/import/onnx/onnx_names.h"

namespace nestrt::compiler {
namespace {

using ops::RecurrentKind;

// Returns the name of an identity matrix [1, columns, columns].
std::string identity(NodeWriter& node, int64_t columns) {
  std::vector<float> elements(static_cast<size_t>(columns * columns));
  for (int64_t i = 0; i < columns; ++i) elements[static_cast<size_t>(i * columns + i)] = 1;
  return node.write("Reshape", {node.floats(elements), node.constant({1, columns, columns})});
}

// Adds the names of the activations and their parameters, if any.
void add_activations(const ops::Recurrent& op, WrittenAttributes& attributes) {
  std::vector<ops::Activation> activations;
  if (op.kind != RecurrentKind::kPlain) activations.push_back(op.gate);
  activations.push_back(op.candidate);
  if (op.kind == RecurrentKind::kLstm) activations.push_back(op.cell);
  std::vector<std::string> names;
  std::vector<float> alphas, betas;
  for (const ops::Activation& activation : activations) {
    const OnnxName<ops::ActivationKind>& gate = *find_kind(kGateNames, activation.kind);
    names.emplace_back(gate.name);
    if (!gate.alpha.name.empty()) alphas.push_back(activation.alpha);
    if (!gate.beta.name.empty()) betas.push_back(activation.beta);
  }
  attributes.emplace_back("activations", std::move(names));
  if (!alphas.empty()) attributes.emplace_back("activation_alpha", std::move(alphas));
  if (!betas.empty()) attributes.emplace_back("activation_beta", std::move(betas));
}

// Adds a direction axis as the first axis. Returns "" if the operand is absent.
std::string with_direction(NodeWriter& node, size_t operand) {
  if (!node.has_input(operand)) return "";
  return node.write("Unsqueeze", {node.real(operand), node.constant({0})});
}

// Returns the biases of inputs and state. All are zero except the state bias of the candidate gate; the input already
// includes the others.
std::string biases(NodeWriter& node, int64_t columns, int64_t hidden) {
  if (!node.has_input(2)) return "";
  const std::string none = node.floats(std::vector<float>(static_cast<size_t>(2 * columns - hidden)));
  const std::string all = node.write("Concat", {none, node.real(2)}, {{"axis", int64_t{0}}});
  return node.write("Unsqueeze", {all, node.constant({0})});
}

Result<std::string> write_recurrent(NodeWriter& node) {
  const auto& op = node.attributes<ops::Recurrent>();
  if (node.operand(1).type == DataType::kS8)
    return node.unsupported("ONNX has no recurrent operator with integer weights; compile the model itself instead");
  const bool lstm = op.kind == RecurrentKind::kLstm;
  const int64_t hidden = node.operand(1).shape[0], columns = node.operand(1).shape[1];
  const std::string state = node.write("Unsqueeze", {node.write("Transpose", {node.real(1)}), node.constant({0})});
  std::vector<std::string> inputs = {node.real(0), identity(node, columns), state, biases(node, columns, hidden),
                                     "",           with_direction(node, 3)};
  if (lstm) {
    inputs.push_back(with_direction(node, 4));
    inputs.push_back(with_direction(node, 5));
  }
  WrittenAttributes attributes = {{"hidden_size", hidden}, {"direction", op.reverse ? "reverse" : "forward"}};
  add_activations(op, attributes);
  if (op.clip > 0) attributes.emplace_back("clip", op.clip);
  if (op.linear_before_reset) attributes.emplace_back("linear_before_reset", true);
  if (op.input_forget) attributes.emplace_back("input_forget", true);
  while (inputs.back().empty()) inputs.pop_back();
  const char* const type = lstm ? "LSTM" : op.kind == RecurrentKind::kGru ? "GRU" : "RNN";
  const std::vector<std::string> outputs =
      node.write_all(type, std::move(inputs), std::move(attributes),
                     lstm ? std::vector<bool>{true, false, true} : std::vector<bool>{true});
  const std::string states = node.write("Squeeze", {outputs[0], node.constant({1})});
  return lstm ? node.write("Concat", {states, outputs[2]}, {{"axis", int64_t{0}}}) : states;
}

constexpr ExportRule kRecurrentExportRules[] = {
    {ops::Kind::kRecurrent, write_recurrent},
};

}  // namespace

std::span<const ExportRule> recurrent_export_rules() { return kRecurrentExportRules; }

}  // namespace nestrt::compiler
