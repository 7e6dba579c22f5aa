// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/recurrent.h"

#include <fmt/core.h>

#include <algorithm>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/math/activation.h"
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

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 2, 6));
  const ops::Recurrent& op = *spec.as<ops::Recurrent>();
  const Shape &x = spec.inputs[0].shape, &weights = spec.inputs[1].shape;
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[0], DataType::kF32, "the input"));
  if (x.rank() != 3 || weights.rank() != 2 || x[0] < 1 || weights[1] != x[2] ||
      saturating_product(weights[0], num_gates(op.kind)) != x[2])
    return rule_error(fmt::format("{} of shape {} with weights {}: expected [steps, batch, {} * H] and [H, {} * H]",
                                  ops::name(op.kind), x.to_string(), weights.to_string(), num_gates(op.kind),
                                  num_gates(op.kind)));
  NESTRT_RETURN_IF_ERROR(expect_operand(spec, 1, weights, "weights"));
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

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  const Recurrence recurrence(spec);
  return make_kernel(
      [recurrence](const KernelCall& call) {
        const int64_t hidden = recurrence.hidden(), columns = recurrence.columns();
        const float* const weights = call.input<float>(1);
        recurrence.run(call, [&](const float* state, Range range, float* gates) {
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
};

}  // namespace

Recurrence::Recurrence(const OperatorSpec& spec)
    : op_(*spec.as<ops::Recurrent>()),
      steps_(spec.inputs[0].shape[0]),
      batch_(spec.inputs[0].shape[1]),
      hidden_(spec.inputs[1].shape[0]),
      columns_(spec.inputs[1].shape[1]) {}

// Sums of the gates, the reset state, and a state of zeros.
ScratchSize Recurrence::scratch() const {
  return {.shared = static_cast<size_t>(batch_ * (columns_ + 2 * hidden_)) * sizeof(float)};
}

Recurrence::Buffers Recurrence::prepare(const KernelCall& call) const {
  const auto operand = [&](size_t index) { return index < call.inputs.size() ? call.input<float>(index) : nullptr; };
  const int64_t size = batch_ * hidden_;
  Buffers buffers{};
  buffers.gates = reinterpret_cast<float*>(call.shared_scratch);
  buffers.left = buffers.gates + batch_ * columns_;
  buffers.zeros = buffers.left + size;
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

float Recurrence::clipped(float x) const {
  if (op_.clip <= 0) return x;
  return x < -op_.clip ? -op_.clip : x > op_.clip ? op_.clip : x;
}

float Recurrence::sum(const Buffers& buffers, int64_t row, int64_t gate, int64_t unit) const {
  const int64_t at = row * columns_ + gate * hidden_ + unit;
  return buffers.x[at] + buffers.gates[at];
}

void Recurrence::reset(const Buffers& buffers) const {
  for (int64_t row = 0; row < batch_; ++row)
    for (int64_t unit = 0; unit < hidden_; ++unit)
      buffers.left[row * hidden_ + unit] =
          buffers.state[row * hidden_ + unit] * apply_activation(op_.gate, clipped(sum(buffers, row, 1, unit)));
}

float Recurrence::finish_gru(const Buffers& buffers, int64_t row, int64_t unit) const {
  const float update = apply_activation(op_.gate, clipped(sum(buffers, row, 0, unit)));
  float candidate = sum(buffers, row, 2, unit);
  if (op_.linear_before_reset) {
    const int64_t at = row * columns_ + 2 * hidden_ + unit;
    const float kept = apply_activation(op_.gate, clipped(sum(buffers, row, 1, unit)));
    candidate = buffers.x[at] + kept * (buffers.gates[at] + (buffers.bias != nullptr ? buffers.bias[unit] : 0));
  }
  candidate = apply_activation(op_.candidate, clipped(candidate));
  return (1 - update) * candidate + update * buffers.state[row * hidden_ + unit];
}

void Recurrence::finish_lstm(const Buffers& buffers, int64_t row, int64_t unit) const {
  float& cell = buffers.cell[row * hidden_ + unit];
  const auto gate = [&](int64_t index, int64_t peephole) {
    const float peeped = buffers.peepholes != nullptr ? buffers.peepholes[peephole * hidden_ + unit] * cell : 0;
    return apply_activation(op_.gate, clipped(sum(buffers, row, index, unit) + peeped));
  };
  const float input = gate(0, 0);
  const float forget = op_.input_forget ? 1 - input : gate(2, 2);
  cell = forget * cell + input * apply_activation(op_.candidate, clipped(sum(buffers, row, 3, unit)));
  buffers.y[row * hidden_ + unit] = gate(1, 1) * apply_activation(op_.cell, cell);
}

void Recurrence::finish_step(Buffers& buffers) const {
  for (int64_t row = 0; row < batch_; ++row) {
    for (int64_t unit = 0; unit < hidden_; ++unit) {
      if (op_.kind == Kind::kLstm)
        finish_lstm(buffers, row, unit);
      else
        buffers.y[row * hidden_ + unit] = op_.kind == Kind::kGru
                                              ? finish_gru(buffers, row, unit)
                                              : apply_activation(op_.candidate, clipped(sum(buffers, row, 0, unit)));
    }
  }
  buffers.state = buffers.y;
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
