// SPDX-License-Identifier: Apache-2.0
// Recurrent: the state-dependent part of RNN, GRU and LSTM, step by step. The contribution of the inputs to the gates
// is computed in advance for all steps. Attributes and operands: ops::Recurrent. f32.
//
// Variants (plain layout):
//   recurrent.f32.panel16  constant weights; multiplies the batch by packed panels in register tiles
//   recurrent.reference
#pragma once

#include "kernels/common/framework/split.h"
#include "kernels/common/packing/packed_constant.h"
#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

class Recurrence {
 public:
  // Requires: infer has accepted the operator.
  explicit Recurrence(const OperatorSpec& spec);

  int64_t batch() const { return batch_; }
  int64_t hidden() const { return hidden_; }
  int64_t columns() const { return columns_; }
  int64_t steps() const { return steps_; }
  // Returns whether the reset gate is applied to the state before the product of the candidate gate.
  bool resets_state() const { return op_.kind == ops::RecurrentKind::kGru && !op_.linear_before_reset; }
  ScratchSize scratch() const;

  // multiply(state [batch, hidden], columns, gates) must multiply the state by those columns of the weights and write
  // the product to the same columns of gates [batch, columns()].
  template <typename Multiply>
  void run(const KernelCall& call, Multiply multiply) const {
    Buffers buffers = prepare(call);
    for (int64_t step = 0; step < steps_; ++step) {
      begin_step(call, buffers, step);
      multiply(buffers.state, Range{0, resets_state() ? 2 * hidden_ : columns_}, buffers.gates);
      if (resets_state()) {
        reset(buffers);
        multiply(buffers.left, Range{2 * hidden_, columns_}, buffers.gates);
      }
      finish_step(buffers);
    }
  }

 private:
  struct Buffers {
    const float *x, *state, *bias, *peepholes;
    float *gates, *left, *zeros, *y, *cell;
  };
  Buffers prepare(const KernelCall& call) const;
  void begin_step(const KernelCall& call, Buffers& buffers, int64_t step) const;
  void reset(const Buffers& buffers) const;
  void finish_step(Buffers& buffers) const;
  void finish_lstm(const Buffers& buffers, int64_t row, int64_t unit) const;
  float finish_gru(const Buffers& buffers, int64_t row, int64_t unit) const;
  float clipped(float x) const;
  // Returns the input of the activation for one gate of one unit.
  float sum(const Buffers& buffers, int64_t row, int64_t gate, int64_t unit) const;

  ops::Recurrent op_;
  int64_t steps_, batch_, hidden_, columns_;
};

bool accepts_recurrent_panel16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_recurrent_panel16(const OperatorSpec& spec);

}  // namespace nestrt::kernels
