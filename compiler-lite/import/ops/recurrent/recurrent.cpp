// SPDX-License-Identifier: Apache-2.0
// RNN, GRU and LSTM. One product computes the contribution of the inputs to all gates in all steps. One Recurrent
// operator per direction computes the rest, which depends on the state.
#include <fmt/core.h>

#include <algorithm>

#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/ops/families.h"
#include "compiler-lite/import/ops/float_forms.h"
#include "compiler-lite/import/ops/quantized/integer_forms.h"
#include "compiler-lite/import/ops/recurrent/sequences.h"

namespace nestrt::compiler {
namespace {

using ops::RecurrentKind;

int64_t num_gates(RecurrentKind kind) { return kind == RecurrentKind::kLstm ? 4 : kind == RecurrentKind::kGru ? 3 : 1; }

// Returns x[direction, first:first + count] without the first axis.
Result<ValueId> rows_of(NodeContext& node, ValueId x, int64_t direction, int64_t first, int64_t count) {
  Shape shape = node.shape(x);
  std::vector<int64_t> start(static_cast<size_t>(shape.rank()), 0);
  const std::vector<int64_t> step(start.size(), 1);
  start[0] = direction;
  start[1] = first;
  shape[0] = 1;
  shape[1] = count;
  NESTRT_ASSIGN_OR_RETURN(const ValueId part, node.slice(x, start, step, shape));
  Shape rest;
  for (int axis = 1; axis < shape.rank(); ++axis) rest.push_back(shape[axis]);
  return node.reshape(part, rest);
}

struct Layer {
  RecurrentKind kind = RecurrentKind::kPlain;
  int64_t directions = 1, gates = 1, hidden = 0, inputs = 0, steps = 0, batch = 0;
  int64_t padding = 0;  // steps after `steps`, whose states are 0
  bool reverse = false, batch_first = false, linear_before_reset = false;
  bool is_quantized = false;  // W and R are transposed integers with scales and zero points
  ValueId x = kNoValue;       // [steps, batch, inputs]
  std::vector<ValueId> quantized_x;
  // Set if the sequences may differ in length: s64 [batch], from 0 to `steps`, and booleans [steps, batch, 1].
  ValueId lengths = kNoValue, within = kNoValue;
};

// Swaps axes 0 and 1 if the batch is the first axis of the model.
Result<ValueId> time_first(NodeContext& node, const Layer& layer, ValueId x) {
  return layer.batch_first ? node.transpose(x, {1, 0, 2}) : Result<ValueId>(x);
}

Status expect_shape(const NodeContext& node, size_t input, const Shape& shape, std::string_view what) {
  if (!node.has_input(input) || node.shape(node.optional_input(input)) == shape) return ok_status();
  return node.invalid(fmt::format("{} has shape {}, expected {}", what,
                                  node.shape(node.optional_input(input)).to_string(), shape.to_string()));
}

Status check_shapes(const NodeContext& node, const Layer& l) {
  const int64_t columns = l.gates * l.hidden;
  const auto matrix = [&](int64_t rows) {
    return l.is_quantized ? Shape{l.directions, rows, columns} : Shape{l.directions, columns, rows};
  };
  NESTRT_RETURN_IF_ERROR(expect_shape(node, 1, matrix(l.inputs), "W"));
  NESTRT_RETURN_IF_ERROR(expect_shape(node, 2, matrix(l.hidden), "R"));
  NESTRT_RETURN_IF_ERROR(expect_shape(node, 3, {l.directions, 2 * columns}, "B"));
  const Shape state = l.batch_first ? Shape{l.batch, l.directions, l.hidden} : Shape{l.directions, l.batch, l.hidden};
  NESTRT_RETURN_IF_ERROR(expect_shape(node, 5, state, "the initial state"));
  if (l.kind != RecurrentKind::kLstm) return ok_status();
  NESTRT_RETURN_IF_ERROR(expect_shape(node, 6, state, "the initial cell"));
  return expect_shape(node, 7, {l.directions, 3 * l.hidden}, "P");
}

// Reads the sequence lengths if they differ or are not known at compile time.
Status take_different_lengths(NodeContext& node, Layer& layer) {
  NESTRT_ASSIGN_OR_RETURN(layer.lengths, clamped_lengths(node, node.optional_input(4), layer.steps));
  NESTRT_ASSIGN_OR_RETURN(layer.within, steps_within(node, layer.lengths, layer.steps));
  return ok_status();
}

// Drops the steps beyond the sequence length if all sequences have the same constant length.
Status take_lengths(NodeContext& node, Layer& layer) {
  if (!node.has_input(4)) return ok_status();
  NESTRT_RETURN_IF_ERROR(expect_shape(node, 4, {layer.batch}, "sequence_lens"));
  if (!node.value(node.optional_input(4)).is_constant()) return take_different_lengths(node, layer);
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, node.constant_ints(4, "sequence_lens"));
  for (const int64_t length : lengths)
    if (length < 0 || length > layer.steps)
      return node.invalid(
          fmt::format("sequence length {} is outside 0 to {}, the number of steps of the input", length, layer.steps));
  const int64_t length = lengths.empty() ? layer.steps : lengths.front();
  if (length == 0 || std::ranges::any_of(lengths, [&](int64_t other) { return other != length; }))
    return take_different_lengths(node, layer);
  if (length == layer.steps) return ok_status();
  layer.padding = layer.steps - length;
  layer.steps = length;
  NESTRT_ASSIGN_OR_RETURN(layer.x, node.slice(layer.x, {0, 0, 0}, {1, 1, 1}, {layer.steps, layer.batch, layer.inputs}));
  return ok_status();
}

Result<Layer> read_layer(NodeContext& node, RecurrentKind kind, bool is_quantized) {
  Layer layer;
  layer.kind = kind;
  layer.is_quantized = is_quantized;
  layer.gates = num_gates(kind);
  const std::string direction = node.attribute("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return node.invalid(fmt::format("direction '{}' is unknown", direction));
  layer.directions = direction == "bidirectional" ? 2 : 1;
  layer.reverse = direction == "reverse";
  layer.batch_first = node.flag("layout", false);
  layer.linear_before_reset = kind == RecurrentKind::kGru && node.flag("linear_before_reset", false);
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_RETURN_IF_ERROR(node.input(1).error());
  NESTRT_ASSIGN_OR_RETURN(const ValueId weights, node.input(2));
  if (node.shape(x).rank() != 3 || node.shape(weights).rank() != 3) return node.invalid("X and R must have rank 3");
  NESTRT_ASSIGN_OR_RETURN(layer.x, time_first(node, layer, x));
  const Shape shape = node.shape(layer.x);
  layer.steps = shape[0];
  layer.batch = shape[1];
  layer.inputs = shape[2];
  const int64_t width = node.shape(weights)[is_quantized ? 1 : 2];
  layer.hidden = node.attribute("hidden_size", width);
  if (layer.hidden != width) return node.invalid("hidden_size differs from the width of R");
  if (layer.steps == 0) return node.unsupported("the sequence is empty");
  NESTRT_RETURN_IF_ERROR(check_shapes(node, layer));
  NESTRT_RETURN_IF_ERROR(take_lengths(node, layer));
  if (!is_quantized) return layer;
  NESTRT_ASSIGN_OR_RETURN(layer.quantized_x, dynamic_quantized(node, layer.x));
  return layer;
}

// Returns the entry of kGateNames named `name` (case-insensitive), or null.
const OnnxName<ops::ActivationKind>* find_gate(std::string_view name) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  const auto* const found =
      std::ranges::find_if(kGateNames, [&](const auto& gate) { return std::ranges::equal(gate.name, name, same); });
  return found == std::end(kGateNames) ? nullptr : found;
}

// Reads the activations of one direction. The lists of alphas and betas contain entries only for activations that use
// them.
Status set_activations(NodeContext& node, const Layer& layer, int64_t direction, ops::Recurrent& op) {
  const size_t each = layer.kind == RecurrentKind::kLstm ? 3 : layer.kind == RecurrentKind::kGru ? 2 : 1;
  std::vector<std::string> names = node.attribute("activations", std::vector<std::string>());
  const std::vector<float> alphas = node.attribute("activation_alpha", std::vector<float>());
  const std::vector<float> betas = node.attribute("activation_beta", std::vector<float>());
  if (names.empty()) {
    for (int64_t i = 0; i < layer.directions; ++i) {
      if (each > 1) names.emplace_back("Sigmoid");
      names.emplace_back("Tanh");
      if (each > 2) names.emplace_back("Tanh");
    }
  }
  if (names.size() != each * static_cast<size_t>(layer.directions))
    return node.invalid("activations has the wrong length");
  size_t alpha = 0, beta = 0;
  std::vector<ops::Activation> read;
  for (const std::string& name : names) {
    const OnnxName<ops::ActivationKind>* const gate = find_gate(name);
    if (gate == nullptr) return node.unsupported(fmt::format("activation '{}'", name));
    const auto next = [](const OnnxParameter& parameter, const std::vector<float>& list, size_t& used) {
      if (parameter.name.empty()) return 0.0f;
      return used < list.size() ? list[used++] : parameter.fallback;
    };
    const float a = next(gate->alpha, alphas, alpha);
    read.push_back({gate->kind, a, next(gate->beta, betas, beta)});
  }
  const ops::Activation* const own = read.data() + each * static_cast<size_t>(direction);
  if (each > 1) op.gate = own[0];
  op.candidate = own[each > 1 ? 1 : 0];
  if (each > 2) op.cell = own[2];
  return ok_status();
}

// Returns in `sum` the biases of a direction that are added to x * W. With linear_before_reset, `kept` receives the
// state's bias of the candidate gate instead.
Status read_biases(NodeContext& node, const Layer& l, int64_t direction, ValueId& sum, ValueId& kept) {
  if (!node.has_input(3)) return ok_status();
  const ValueId stated = node.optional_input(3);
  const int64_t columns = l.gates * l.hidden, open = l.linear_before_reset ? 2 * l.hidden : columns;
  NESTRT_ASSIGN_OR_RETURN(sum, rows_of(node, stated, direction, 0, columns));
  NESTRT_ASSIGN_OR_RETURN(ValueId state, rows_of(node, stated, direction, columns, open));
  if (l.linear_before_reset) {
    NESTRT_ASSIGN_OR_RETURN(kept, rows_of(node, stated, direction, columns + open, l.hidden));
    NESTRT_ASSIGN_OR_RETURN(const ValueId none,
                            node.constant(std::vector<float>(static_cast<size_t>(l.hidden)), {l.hidden}));
    NESTRT_ASSIGN_OR_RETURN(state, node.add(ops::Concat{.axis = 0}, {state, none}));
  }
  NESTRT_ASSIGN_OR_RETURN(sum, node.binary(ops::BinaryKind::kAdd, sum, state));
  return ok_status();
}

// Returns the initial state or cell of a direction, [batch, hidden], or kNoValue.
Result<ValueId> first_of(NodeContext& node, const Layer& layer, size_t input, int64_t direction) {
  if (!node.has_input(input)) return kNoValue;
  NESTRT_ASSIGN_OR_RETURN(const ValueId states, time_first(node, layer, node.optional_input(input)));
  return rows_of(node, states, direction, 0, layer.batch);
}

// Returns a direction's scale or zero point as a scalar or one element per column; kNoValue if the input is absent.
Result<ValueId> parameter_of(NodeContext& node, const Layer& l, size_t input, int64_t direction) {
  if (!node.has_input(input)) return kNoValue;
  const ValueId stated = node.optional_input(input);
  const int64_t count = node.shape(stated).num_elements(), columns = l.gates * l.hidden;
  if (count != l.directions && count != l.directions * columns)
    return node.invalid(fmt::format("a scale or zero point has shape {}, expected {} or {} values",
                                    node.shape(stated).to_string(), l.directions, l.directions * columns));
  const int64_t each = count / l.directions;
  NESTRT_ASSIGN_OR_RETURN(const ValueId rows, node.reshape(stated, {l.directions, each}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId own, node.slice(rows, {direction, 0}, {1, 1}, {1, each}));
  return node.reshape(own, {each});
}

struct QuantizedMatrix {
  ValueId elements, scale, zero_point;
};

// Returns the integers of W (input 1) or R (input 2) of a direction with their parameters.
Result<QuantizedMatrix> quantized_matrix(NodeContext& node, const Layer& l, size_t input, int64_t direction) {
  const size_t scale_input = 6 + 2 * input;  // 8 for W, 10 for R; the zero point follows
  const int64_t rows = input == 1 ? l.inputs : l.hidden;
  NESTRT_RETURN_IF_ERROR(node.input(scale_input).error());
  NESTRT_ASSIGN_OR_RETURN(const ValueId elements, rows_of(node, node.optional_input(input), direction, 0, rows));
  NESTRT_ASSIGN_OR_RETURN(const ValueId scale, parameter_of(node, l, scale_input, direction));
  NESTRT_ASSIGN_OR_RETURN(const ValueId zero, parameter_of(node, l, scale_input + 1, direction));
  NESTRT_ASSIGN_OR_RETURN(const IntegerWeights weights, signed_weights(node, {elements, zero}));
  return QuantizedMatrix{weights.elements, scale, weights.zero_point};
}

// Returns the contribution of the inputs to all gates, without biases.
Result<ValueId> multiply_inputs(NodeContext& node, const Layer& l, int64_t direction) {
  if (l.is_quantized) {
    NESTRT_ASSIGN_OR_RETURN(const QuantizedMatrix w, quantized_matrix(node, l, 1, direction));
    return node.add(ops::MatMulInteger(),
                    {l.quantized_x[0], w.elements, l.quantized_x[2], w.zero_point, l.quantized_x[1], w.scale});
  }
  NESTRT_ASSIGN_OR_RETURN(ValueId weights, rows_of(node, node.optional_input(1), direction, 0, l.gates * l.hidden));
  NESTRT_ASSIGN_OR_RETURN(weights, node.transpose(weights, {1, 0}));
  return matrix_product(node, l.x, weights);
}

// Returns the state's weights in the form of a Recurrent's input 1.
Result<QuantizedMatrix> recurrence_of(NodeContext& node, const Layer& l, int64_t direction) {
  if (l.is_quantized) return quantized_matrix(node, l, 2, direction);
  NESTRT_ASSIGN_OR_RETURN(const ValueId weights,
                          rows_of(node, node.optional_input(2), direction, 0, l.gates * l.hidden));
  NESTRT_ASSIGN_OR_RETURN(const ValueId transposed, node.transpose(weights, {1, 0}));
  return QuantizedMatrix{transposed, kNoValue, kNoValue};
}

// Returns x, the inputs of the gates i, o, f and c, with the values after the end of each sequence replaced so that the
// cell stays unchanged: their sigmoids are exactly 0 or 1.
Result<ValueId> keep_cells(NodeContext& node, const Layer& l, const ops::Recurrent& op, ValueId x) {
  constexpr float kSaturated = 1e6F;
  if (op.gate.kind != ops::ActivationKind::kSigmoid || op.clip != 0)
    return node.unsupported(
        "the last cells of sequences of different lengths are supported only for sigmoid gates without clip");
  std::vector<float> inputs(static_cast<size_t>(4 * l.hidden));
  std::fill_n(inputs.begin(), l.hidden, -kSaturated);
  std::fill_n(inputs.begin() + 2 * l.hidden, l.hidden, kSaturated);
  NESTRT_ASSIGN_OR_RETURN(const ValueId kept, node.constant(inputs, {4 * l.hidden}));
  return node.add(ops::Select(), {l.within, x, kept});
}

// Returns the states of one direction, [steps, batch, hidden]. For LSTM, the last cell follows. If the sequences differ
// in length, the layer's x is in step order, and states after the end of a sequence are undefined.
Result<ValueId> run_direction(NodeContext& node, const Layer& l, int64_t direction) {
  ops::Recurrent op;
  op.kind = l.kind;
  op.reverse = l.lengths == kNoValue && (l.reverse || direction == 1);
  op.linear_before_reset = l.linear_before_reset;
  op.input_forget = l.kind == RecurrentKind::kLstm && node.flag("input_forget", false);
  op.clip = node.attribute("clip", 0.0f);
  NESTRT_RETURN_IF_ERROR(set_activations(node, l, direction, op));
  NESTRT_ASSIGN_OR_RETURN(ValueId x, multiply_inputs(node, l, direction));
  ValueId bias = kNoValue, kept = kNoValue;
  NESTRT_RETURN_IF_ERROR(read_biases(node, l, direction, bias, kept));
  if (bias != kNoValue) {
    NESTRT_ASSIGN_OR_RETURN(x, node.binary(ops::BinaryKind::kAdd, x, bias));
  }
  if (l.lengths != kNoValue && l.kind == RecurrentKind::kLstm && node.wants_output(2)) {
    NESTRT_ASSIGN_OR_RETURN(x, keep_cells(node, l, op, x));
  }
  NESTRT_ASSIGN_OR_RETURN(const QuantizedMatrix recurrence, recurrence_of(node, l, direction));
  NESTRT_ASSIGN_OR_RETURN(const ValueId state, first_of(node, l, 5, direction));
  std::vector<ValueId> operands = {x, recurrence.elements, kept, state};
  if (l.kind == RecurrentKind::kLstm) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId cell, first_of(node, l, 6, direction));
    operands.push_back(cell);
    operands.push_back(kNoValue);
    if (node.has_input(7)) {
      NESTRT_ASSIGN_OR_RETURN(operands.back(), rows_of(node, node.optional_input(7), direction, 0, 3 * l.hidden));
    }
  }
  if (recurrence.scale != kNoValue) {
    operands.resize(6, kNoValue);
    operands.push_back(recurrence.scale);
    operands.push_back(recurrence.zero_point);
  }
  while (operands.back() == kNoValue) operands.pop_back();
  return node.add(op, std::move(operands));
}

// Returns rows [first, first + count) of the states and adds a direction axis: [count, 1, batch, hidden].
Result<ValueId> states_from(NodeContext& node, const Layer& l, ValueId states, int64_t first, int64_t count) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId rows, node.slice(states, {first, 0, 0}, {1, 1, 1}, {count, l.batch, l.hidden}));
  return node.reshape(rows, {count, 1, l.batch, l.hidden});
}

// Combines the directions of one output.
Status set_states(NodeContext& node, const Layer& l, size_t output, const std::vector<ValueId>& parts) {
  if (!node.wants_output(output)) return ok_status();
  ValueId all = parts.front();
  if (parts.size() > 1) {
    NESTRT_ASSIGN_OR_RETURN(all, node.add(ops::Concat{.axis = 1}, parts));
  }
  if (output == 0 && l.padding > 0) {
    NESTRT_ASSIGN_OR_RETURN(all, node.add(ops::Pad{.begin = {0, 0, 0, 0}, .end = {l.padding, 0, 0, 0}}, {all}));
  }
  if (output == 0 && l.batch_first) {
    NESTRT_ASSIGN_OR_RETURN(all, node.transpose(all, {2, 0, 1, 3}));
  }
  if (output > 0) {
    NESTRT_ASSIGN_OR_RETURN(all, node.reshape(all, {l.directions, l.batch, l.hidden}));
    NESTRT_ASSIGN_OR_RETURN(all, time_first(node, l, all));
  }
  return node.set_output(output, all);
}

// The results of one direction, including a direction axis.
struct States {
  ValueId every = kNoValue;  // [steps, 1, batch, hidden]
  ValueId last = kNoValue;   // [1, 1, batch, hidden]
  ValueId cell = kNoValue;   // same shape as `last`; LSTM only
};

Result<States> states_of_equal(NodeContext& node, const Layer& l, int64_t direction) {
  States result;
  NESTRT_ASSIGN_OR_RETURN(const ValueId states, run_direction(node, l, direction));
  const bool backward = l.reverse || direction == 1;
  NESTRT_ASSIGN_OR_RETURN(result.every, states_from(node, l, states, 0, l.steps));
  NESTRT_ASSIGN_OR_RETURN(result.last, states_from(node, l, states, backward ? 0 : l.steps - 1, 1));
  if (l.kind != RecurrentKind::kLstm) return result;
  NESTRT_ASSIGN_OR_RETURN(result.cell, states_from(node, l, states, l.steps, 1));
  return result;
}

// Returns x where the condition is true and 0 elsewhere.
Result<ValueId> zero_unless(NodeContext& node, ValueId condition, ValueId x) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId zero, node.scalar(0));
  return node.add(ops::Select(), {condition, x, zero});
}

// A backward direction runs forward over reversed sequences. The results of empty sequences are 0.
Result<States> states_of_different(NodeContext& node, Layer l, int64_t direction) {
  States result;
  if (l.is_quantized) return node.unsupported("sequences of different lengths are supported only in float networks");
  const bool backward = l.reverse || direction == 1;
  if (backward) {
    NESTRT_ASSIGN_OR_RETURN(l.x, reversed_sequences(node, l.x, l.lengths, 0));
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId all, run_direction(node, l, direction));
  NESTRT_ASSIGN_OR_RETURN(ValueId states, node.slice(all, {0, 0, 0}, {1, 1, 1}, {l.steps, l.batch, l.hidden}));
  NESTRT_ASSIGN_OR_RETURN(states, zero_unless(node, l.within, states));
  NESTRT_ASSIGN_OR_RETURN(const ValueId last, last_steps(node, states, l.lengths));
  NESTRT_ASSIGN_OR_RETURN(result.last, node.reshape(last, {1, 1, l.batch, l.hidden}));
  if (backward) {
    NESTRT_ASSIGN_OR_RETURN(states, reversed_sequences(node, states, l.lengths, 0));
  }
  NESTRT_ASSIGN_OR_RETURN(result.every, node.reshape(states, {l.steps, 1, l.batch, l.hidden}));
  if (l.kind != RecurrentKind::kLstm || !node.wants_output(2)) return result;
  NESTRT_ASSIGN_OR_RETURN(const ValueId cell, states_from(node, l, all, l.steps, 1));
  NESTRT_ASSIGN_OR_RETURN(const ValueId has_steps, node.slice(l.within, {0, 0, 0}, {1, 1, 1}, {1, l.batch, 1}));
  NESTRT_ASSIGN_OR_RETURN(result.cell, zero_unless(node, has_steps, cell));
  return result;
}

template <RecurrentKind kind, bool kQuantized = false>
Status import_recurrent(NodeContext& node) {
  node.ignore("output_sequence");  // exists before opset 7
  NESTRT_ASSIGN_OR_RETURN(const Layer layer, read_layer(node, kind, kQuantized));
  std::vector<ValueId> all, last, cells;
  for (int64_t direction = 0; direction < layer.directions; ++direction) {
    NESTRT_ASSIGN_OR_RETURN(const States states, layer.lengths == kNoValue
                                                     ? states_of_equal(node, layer, direction)
                                                     : states_of_different(node, layer, direction));
    all.push_back(states.every);
    last.push_back(states.last);
    if (states.cell != kNoValue) cells.push_back(states.cell);
  }
  NESTRT_RETURN_IF_ERROR(set_states(node, layer, 0, all));
  NESTRT_RETURN_IF_ERROR(set_states(node, layer, 1, last));
  return cells.empty() ? ok_status() : set_states(node, layer, 2, cells);
}

constexpr ImportRule kRecurrentRules[] = {
    {"GRU", import_recurrent<RecurrentKind::kGru>, 7},
    {"LSTM", import_recurrent<RecurrentKind::kLstm>, 7},
    {"RNN", import_recurrent<RecurrentKind::kPlain>, 7},
    {"com.microsoft.DynamicQuantizeLSTM", import_recurrent<RecurrentKind::kLstm, true>, 0},
};

}  // namespace

std::span<const ImportRule> recurrent_rules() { return kRecurrentRules; }

}  // namespace nestrt::compiler
