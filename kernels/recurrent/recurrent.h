// SPDX-License-Identifier: Apache-2.0
// Recurrent: the state-dependent part of RNN, GRU and LSTM, computed step by step. The contribution of the inputs to
// the gates is computed in advance for all steps. See ops::Recurrent for attributes and operands. Supports f32 with f32
// or s8 weights.
//
// Variants (plain layout):
//   recurrent.f32.panel16  constant f32 weights; multiplies the batch with packed panels in register tiles
//   recurrent.s8.panel16   constant s8 weights; quantizes the state in every step and multiplies with the s8 tile
//   recurrent.reference
#pragma once

#include "kernels/common/framework/split.h"
#include "kernels/common/packing/packed_constant.h"
#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// One row of the batch in one step. Gates are `hidden` floats apart.
struct RecurrentRow {
  const float* x = nullptr;          // the inputs' part of the gates
  const float* sums = nullptr;       // the state's part of the gates
  const float* candidate = nullptr;  // GRU: the state's part of the candidate gate
  const float* state = nullptr;
  const float* bias = nullptr;       // or null
  const float* peepholes = nullptr;  // or null
  float* cell = nullptr;             // LSTM: before and after the step
  float* reset = nullptr;            // GRU: the state after the reset gate
  float* y = nullptr;                // the state after the step
};

// The operations of a step other than products, for one row.
struct RecurrentFunctions {
  using Function = void (*)(const ops::Recurrent& op, int64_t hidden, const RecurrentRow& row);
  Function reset;   // computes `reset`
  Function finish;  // computes `y` and `cell`
};
// Returns the vector functions for the current instruction set.
RecurrentFunctions recurrent_simd();

class Recurrence {
 public:
  // Requires: infer has accepted the operator.
  explicit Recurrence(const OperatorSpec& spec);

  int64_t batch() const { return batch_; }
  int64_t hidden() const { return hidden_; }
  int64_t columns() const { return columns_; }
  ScratchSize scratch() const;

  // multiply(state [batch, hidden], columns, gates) must multiply the state with the given columns of the weights, and
  // write the product to the same columns of gates [batch, columns()]. It may overwrite the other columns.
  template <typename Multiply>
  void run(const KernelCall& call, const RecurrentFunctions& functions, Multiply multiply) const {
    Buffers buffers = prepare(call);
    for (int64_t step = 0; step < steps_; ++step) {
      begin_step(call, buffers, step);
      multiply(buffers.state, Range{0, resets_state() ? 2 * hidden_ : columns_}, buffers.gates);
      if (resets_state()) {
        for (int64_t row = 0; row < batch_; ++row) functions.reset(op_, hidden_, row_of(buffers, row));
        multiply(buffers.reset, Range{2 * hidden_, columns_}, buffers.candidates);
      }
      for (int64_t row = 0; row < batch_; ++row) functions.finish(op_, hidden_, row_of(buffers, row));
      buffers.state = buffers.y;
    }
  }

 private:
  struct Buffers {
    const float *x, *state, *bias, *peepholes;
    float *gates, *candidates, *reset, *zeros, *y, *cell;
  };
  // Returns whether the candidate gate multiplies the state after the reset gate, and therefore needs a separate
  // product.
  bool resets_state() const { return op_.kind == ops::RecurrentKind::kGru && !op_.linear_before_reset; }
  Buffers prepare(const KernelCall& call) const;
  void begin_step(const KernelCall& call, Buffers& buffers, int64_t step) const;
  RecurrentRow row_of(const Buffers& buffers, int64_t row) const;

  ops::Recurrent op_;
  int64_t steps_, batch_, hidden_, columns_;
};

// The indices of the inputs that are specific to s8 weights.
inline constexpr size_t kRecurrentScale = 6, kRecurrentZero = 7;

bool accepts_recurrent_s8_panel16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_recurrent_s8_panel16(const OperatorSpec& spec);
bool accepts_recurrent_panel16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_recurrent_panel16(const OperatorSpec& spec);

}  // namespace nestrt::kernels
