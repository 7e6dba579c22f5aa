// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/recurrent.h"

#include <fmt/core.h>

#include <algorithm>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/math/activation.h"
#include "kernels/common/quantization/quantize_rows.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

using Kind = ops::RecurrentKind;

int64_t num_gates(Kind kind) { return kind == Kind::kLstm ? 4 : kind == Kind::kGru ? 3 : 1; }

Status expect_operand(const OperatorSpec& spec, size_t index, const Shape& shape, std::string_view what) {
  if (!spec.has_input(index)) return ok_status();
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[index], DataType::kF32, what));
  if (spec.inputs[index].shape == shape) return ok_status();
  return rule_error(
      fmt::format("{} has shape {}, expected {}", what, spec.inputs[index].shape.to_string(), shape.to_string()));
}

// Checks the inputs that are specific to s8 weights.
Status check_integer_weights(const OperatorSpec& spec) {
  const bool is_s8 = spec.inputs[1].type == DataType::kS8;
  if (is_s8 != spec.has_input(kRecurrentScale))
    return rule_error("s8 weights require a scale, and other weights must not have one");
  if (!is_s8 && spec.has_input(kRecurrentZero)) return rule_error("only s8 weights may have a zero point");
  for (const size_t input : {kRecurrentScale, kRecurrentZero}) {
    if (!spec.has_input(input)) continue;
    const TensorSpec& tensor = spec.inputs[input];
    NESTRT_RETURN_IF_ERROR(expect_type(tensor, input == kRecurrentScale ? DataType::kF32 : DataType::kS8,
                                       input == kRecurrentScale ? "the scale" : "the zero point"));
    if (tensor.shape.num_elements() != 1 && tensor.shape != Shape{spec.inputs[1].shape[1]})
      return rule_error(fmt::format("a scale or zero point of the weights has shape {}, expected one element or {}",
                                    tensor.shape.to_string(), spec.inputs[1].shape[1]));
  }
  return {};
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 2, 8));
  const ops::Recurrent& op = *spec.as<ops::Recurrent>();
  const Shape &x = spec.inputs[0].shape, &weights = spec.inputs[1].shape;
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[0], DataType::kF32, "the input"));
  if (x.rank() != 3 || weights.rank() != 2 || x[0] < 1 || weights[1] != x[2] ||
      saturating_product(weights[0], num_gates(op.kind)) != x[2])
    return rule_error(fmt::format("{} of shape {} with weights {}: expected [steps, batch, {} * H] and [H, {} * H]",
                                  ops::name(op.kind), x.to_string(), weights.to_string(), num_gates(op.kind),
                                  num_gates(op.kind)));
  if (spec.inputs[1].type != DataType::kS8) NESTRT_RETURN_IF_ERROR(expect_operand(spec, 1, weights, "weights"));
  NESTRT_RETURN_IF_ERROR(check_integer_weights(spec));
  NESTRT_RETURN_IF_ERROR(expect_operand(spec, 2, {weights[0]}, "bias"));
  NESTRT_RETURN_IF_ERROR(expect_operand(spec, 3, {x[1], weights[0]}, "the first state"));
  NESTRT_RETURN_IF_ERROR(expect_operand(spec, 4, {x[1], weights[0]}, "the first cell"));
  NESTRT_RETURN_IF_ERROR(expect_operand(spec, 5, {3 * weights[0]}, "peepholes"));
  const bool lstm = op.kind == Kind::kLstm;
  if (!lstm && (spec.has_input(4) || spec.has_input(5))) return rule_error("only lstm accepts a cell and peepholes");
  if (spec.has_input(2) && (op.kind != Kind::kGru || !op.linear_before_reset))
    return rule_error("only gru with linear_before_reset accepts a bias");
  const int64_t dims[] = {x[0] + (lstm ? 1 : 0), x[1], weights[0]};
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, checked_shape(dims, "the output"));
  return single_output(DataType::kF32, shape);
}

float clipped(const ops::Recurrent& op, float x) {
  if (op.clip <= 0) return x;
  return x < -op.clip ? -op.clip : x > op.clip ? op.clip : x;
}

// Computes one gate of one unit.
float gate_of(const ops::Recurrent& op, float sum) { return apply_activation(op.gate, clipped(op, sum)); }

void reset_row(const ops::Recurrent& op, int64_t hidden, const RecurrentRow& row) {
  for (int64_t i = hidden; i < 2 * hidden; ++i)
    row.reset[i - hidden] = row.state[i - hidden] * gate_of(op, row.x[i] + row.sums[i]);
}

void finish_gru(const ops::Recurrent& op, int64_t hidden, const RecurrentRow& row, int64_t unit) {
  const float update = gate_of(op, row.x[unit] + row.sums[unit]);
  float state = row.candidate[unit];
  if (op.linear_before_reset) {
    const float reset = gate_of(op, row.x[hidden + unit] + row.sums[hidden + unit]);
    state = reset * (state + (row.bias != nullptr ? row.bias[unit] : 0));
  }
  const float candidate = apply_activation(op.candidate, clipped(op, row.x[2 * hidden + unit] + state));
  row.y[unit] = (1 - update) * candidate + update * row.state[unit];
}

void finish_lstm(const ops::Recurrent& op, int64_t hidden, const RecurrentRow& row, int64_t unit) {
  float& cell = row.cell[unit];
  const auto sum = [&](int64_t gate) { return row.x[gate * hidden + unit] + row.sums[gate * hidden + unit]; };
  const auto gate = [&](int64_t index) {  // peepholes have the order of the gates
    return gate_of(op, sum(index) + (row.peepholes != nullptr ? row.peepholes[index * hidden + unit] * cell : 0));
  };
  const float input = gate(0);
  const float forget = op.input_forget ? 1 - input : gate(2);
  cell = forget * cell + input * apply_activation(op.candidate, clipped(op, sum(3)));
  row.y[unit] = gate(1) * apply_activation(op.cell, cell);
}

void finish_row(const ops::Recurrent& op, int64_t hidden, const RecurrentRow& row) {
  for (int64_t unit = 0; unit < hidden; ++unit) {
    if (op.kind == Kind::kLstm)
      finish_lstm(op, hidden, row, unit);
    else if (op.kind == Kind::kGru)
      finish_gru(op, hidden, row, unit);
    else
      row.y[unit] = apply_activation(op.candidate, clipped(op, row.x[unit] + row.sums[unit]));
  }
}

// Quantizes the state with parameters computed from its values, and multiplies it by s8 weights.
void multiply_integers(const Recurrence& recurrence, const OperatorSpec& spec, const KernelCall& call,
                       const float* state, Range range, float* gates) {
  const int64_t hidden = recurrence.hidden(), columns = recurrence.columns();
  Extremes extremes;
  for (int64_t i = 0; i < recurrence.batch() * hidden; ++i)
    if (state[i] == state[i]) extremes.add({state[i], state[i]});
  const s8c::Affine parameters = dynamic_parameters(extremes);
  const auto at = [&](size_t input, int64_t n) { return spec.inputs[input].shape.num_elements() == 1 ? 0 : n; };
  const bool has_zero = spec.has_input(kRecurrentZero);
  for (int64_t row = 0; row < recurrence.batch(); ++row)
    for (int64_t n = range.first; n < range.last; ++n) {
      const int32_t zero = has_zero ? call.input<int8_t>(kRecurrentZero)[at(kRecurrentZero, n)] : 0;
      uint32_t sum = 0;
      for (int64_t k = 0; k < hidden; ++k) {
        const int32_t q = s8c::quantize<uint8_t>(state[row * hidden + k], parameters) - parameters.zero_point;
        sum += static_cast<uint32_t>(q * (call.input<int8_t>(1)[k * columns + n] - zero));
      }
      const float scale = parameters.scale * call.input<float>(kRecurrentScale)[at(kRecurrentScale, n)];
      gates[row * columns + n] = static_cast<float>(static_cast<int32_t>(sum)) * scale;
    }
}

Result<std::unique_ptr<Kernel>> prepare_integer_reference(const OperatorSpec& spec) {
  const Recurrence recurrence(spec);
  return make_kernel(
      [recurrence, spec](const KernelCall& call) {
        recurrence.run(call, {reset_row, finish_row}, [&](const float* state, Range range, float* gates) {
          multiply_integers(recurrence, spec, call, state, range, gates);
        });
      },
      recurrence.scratch());
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  if (spec.inputs[1].type == DataType::kS8) return prepare_integer_reference(spec);
  const Recurrence recurrence(spec);
  return make_kernel(
      [recurrence](const KernelCall& call) {
        const int64_t hidden = recurrence.hidden(), columns = recurrence.columns();
        const float* const weights = call.input<float>(1);
        recurrence.run(call, {reset_row, finish_row}, [&](const float* state, Range range, float* gates) {
          for (int64_t row = 0; row < recurrence.batch(); ++row) {
            float* const sums = gates + row * columns;
            std::fill(sums + range.first, sums + range.last, 0.0f);
            for (int64_t k = 0; k < hidden; ++k)
              for (int64_t i = range.first; i < range.last; ++i)
                sums[i] += state[row * hidden + k] * weights[k * columns + i];
          }
        });
      },
      recurrence.scratch());
}

uint64_t macs(const OperatorSpec& spec) {
  return static_cast<uint64_t>(saturating_product(spec.inputs[0].shape.num_elements(), spec.inputs[1].shape[0]));
}

int64_t steps(const OperatorSpec& spec) {
  const int64_t sums = saturating_product(spec.inputs[0].shape.num_elements(), spec.inputs[1].shape[0]);
  return saturating_sum(sums, element_steps(spec, 2 * kFunctionSteps, kFunctionSteps));
}

constexpr KernelVariant kKernels[] = {
    {"recurrent.reference", 0, is_plain, prepare_reference},
    {"recurrent.f32.panel16", 10, accepts_recurrent_panel16, prepare_recurrent_panel16, Packing::kPanel16},
    {"recurrent.s8.panel16", 10, accepts_recurrent_s8_panel16, prepare_recurrent_s8_panel16, Packing::kS8Panel},
};

}  // namespace

Recurrence::Recurrence(const OperatorSpec& spec)
    : op_(*spec.as<ops::Recurrent>()),
      steps_(spec.inputs[0].shape[0]),
      batch_(spec.inputs[0].shape[1]),
      hidden_(spec.inputs[1].shape[0]),
      columns_(spec.inputs[1].shape[1]) {}

// Returns the size of the products, the state after the reset gate, and a zero state. If a GRU resets its state, the
// candidate gate has a separate product.
ScratchSize Recurrence::scratch() const {
  const int64_t products = resets_state() ? 2 * columns_ : columns_;
  return {.shared = static_cast<size_t>(batch_ * (products + 2 * hidden_)) * sizeof(float)};
}

Recurrence::Buffers Recurrence::prepare(const KernelCall& call) const {
  const auto operand = [&](size_t index) { return index < call.inputs.size() ? call.input<float>(index) : nullptr; };
  const int64_t size = batch_ * hidden_;
  Buffers buffers{};
  buffers.reset = reinterpret_cast<float*>(call.shared_scratch);
  buffers.zeros = buffers.reset + size;
  buffers.gates = buffers.zeros + size;
  buffers.candidates = resets_state() ? buffers.gates + batch_ * columns_ : buffers.gates;
  std::fill_n(buffers.zeros, size, 0.0f);
  buffers.bias = operand(2);
  buffers.peepholes = operand(5);
  buffers.state = operand(3) != nullptr ? operand(3) : buffers.zeros;
  if (op_.kind == Kind::kLstm) {
    buffers.cell = call.output<float>(0) + steps_ * size;
    std::copy_n(operand(4) != nullptr ? operand(4) : buffers.zeros, size, buffers.cell);
  }
  return buffers;
}

void Recurrence::begin_step(const KernelCall& call, Buffers& buffers, int64_t step) const {
  const int64_t at = op_.reverse ? steps_ - 1 - step : step;
  buffers.x = call.input<float>(0) + at * batch_ * columns_;
  buffers.y = call.output<float>(0) + at * batch_ * hidden_;
}

RecurrentRow Recurrence::row_of(const Buffers& buffers, int64_t row) const {
  RecurrentRow result;
  result.x = buffers.x + row * columns_;
  result.sums = buffers.gates + row * columns_;
  result.state = buffers.state + row * hidden_;
  result.bias = buffers.bias;
  result.peepholes = buffers.peepholes;
  if (op_.kind == Kind::kLstm) result.cell = buffers.cell + row * hidden_;
  if (op_.kind == Kind::kGru) result.candidate = buffers.candidates + row * columns_ + 2 * hidden_;
  result.reset = buffers.reset + row * hidden_;
  result.y = buffers.y + row * hidden_;
  return result;
}

template <>
const OperatorRules& rules<ops::Recurrent>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kRecurrent,
      .infer = infer,
      .macs = macs,
      .steps = steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
