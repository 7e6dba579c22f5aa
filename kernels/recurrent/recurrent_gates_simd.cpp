// SPDX-License-Identifier: Apache-2.0
// Computes the gates of RNN, GRU and LSTM in vectors of units.
#include "kernels/recurrent/recurrent.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/recurrent/recurrent_gates_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/math/activation-inl.h"
#include "kernels/common/math/bounds-inl.h"
#include "kernels/common/simd/partial-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

using RecurrentTag = hn::ScalableTag<float>;
using Units = hn::Vec<RecurrentTag>;
using ActivationKind = ops::ActivationKind;

// Calls body(unit, count) for vectors of units.
template <class Body>
HWY_INLINE void for_units(int64_t hidden, const Body& body) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(RecurrentTag()));
  for (int64_t unit = 0; unit < hidden; unit += lanes) body(unit, HWY_MIN(lanes, hidden - unit));
}

HWY_NOINLINE Units load_last(const float* x, int64_t count) { return load_partial(RecurrentTag(), x, count); }
HWY_NOINLINE void store_last(Units y, float* to, int64_t count) { store_partial(RecurrentTag(), y, to, count); }

HWY_INLINE Units load_units(const float* x, int64_t count) {
  const RecurrentTag d;
  return count == static_cast<int64_t>(hn::Lanes(d)) ? hn::LoadU(d, x) : load_last(x, count);
}

HWY_INLINE void store_units(Units y, float* to, int64_t count) {
  const RecurrentTag d;
  if (count == static_cast<int64_t>(hn::Lanes(d))) return hn::StoreU(y, d, to);
  store_last(y, to, count);
}

// Applies any activation. Not inline, because most models use the default activations.
HWY_NOINLINE Units any_activation(const Activation& activation, Units x) {
  return apply_activation(RecurrentTag(), activation, x);
}

// Returns tanh(x) = x p(x^2) / q(x^2), fitted for the least relative error in [0, kTanhBound]. At kTanhBound, tanh
// rounds to 1 or the next smaller number. The error is below 4e-7. With simd_tanh and simd_sigmoid, a layer would take
// up to a quarter longer. Requires: |x| <= kTanhBound, or NaN.
constexpr float kTanhBound = 8.3f;

HWY_INLINE Units bounded_tanh(Units x) {
  const RecurrentTag d;
  const auto z = hn::Mul(x, x);
  auto p = hn::Set(d, 1.46494559e-08f);
  p = hn::MulAdd(p, z, hn::Set(d, 2.15093678e-05f));
  p = hn::MulAdd(p, z, hn::Set(d, 0.0035492226f));
  p = hn::MulAdd(p, z, hn::Set(d, 0.134259149f));
  p = hn::MulAdd(p, z, hn::Set(d, 1.0f));
  auto q = hn::Set(d, 8.29560065e-07f);
  q = hn::MulAdd(q, z, hn::Set(d, 0.000337403762f));
  q = hn::MulAdd(q, z, hn::Set(d, 0.0260801539f));
  q = hn::MulAdd(q, z, hn::Set(d, 0.467592418f));
  q = hn::MulAdd(q, z, hn::Set(d, 1.0f));
  return hn::Div(hn::Mul(x, p), q);
}

// Clamps x to [-bound, bound]; NaN stays NaN.
HWY_INLINE Units within(Units x, float bound) {
  const RecurrentTag d;
  return bounded(x, hn::Set(d, -bound), hn::Set(d, bound));
}

// The activations of an operator. `kDefault`: sigmoid for gates, and tanh for candidates and outputs.
template <bool kDefault>
struct GateFunctions {
  const ops::Recurrent& op;
  float clip = op.clip > 0 ? op.clip : __builtin_inff();

  // sigmoid(x) = (1 + tanh(x / 2)) / 2
  HWY_INLINE Units gate(Units x) const {
    if constexpr (!kDefault) return any_activation(op.gate, within(x, clip));
    const auto half = hn::Set(RecurrentTag(), 0.5f);
    return hn::MulAdd(bounded_tanh(hn::Mul(within(x, HWY_MIN(clip, 2 * kTanhBound)), half)), half, half);
  }
  HWY_INLINE Units candidate(Units x) const {
    if constexpr (!kDefault) return any_activation(op.candidate, within(x, clip));
    return bounded_tanh(within(x, HWY_MIN(clip, kTanhBound)));
  }
  HWY_INLINE Units cell(Units x) const {
    if constexpr (!kDefault) return any_activation(op.cell, x);
    return bounded_tanh(within(x, kTanhBound));
  }
};

template <class Functions>
HWY_INLINE void lstm(const Functions& f, int64_t hidden, const RecurrentRow& row) {
  const auto one = hn::Set(RecurrentTag(), 1.0f);
  for_units(hidden, [&](int64_t unit, int64_t count) HWY_ATTR {
    const auto sum = [&](int64_t gate) HWY_ATTR {
      const int64_t at = gate * hidden + unit;
      return hn::Add(load_units(row.x + at, count), load_units(row.sums + at, count));
    };
    const auto gate = [&](int64_t index, Units cell) HWY_ATTR {
      if (row.peepholes == nullptr) return f.gate(sum(index));
      return f.gate(hn::MulAdd(load_units(row.peepholes + index * hidden + unit, count), cell, sum(index)));
    };
    const auto before = load_units(row.cell + unit, count);
    const auto input = gate(0, before);
    const auto forget = f.op.input_forget ? hn::Sub(one, input) : gate(2, before);
    const auto cell = hn::MulAdd(forget, before, hn::Mul(input, f.candidate(sum(3))));
    store_units(cell, row.cell + unit, count);
    store_units(hn::Mul(gate(1, cell), f.cell(cell)), row.y + unit, count);
  });
}

template <class Functions>
HWY_INLINE void gru(const Functions& f, int64_t hidden, const RecurrentRow& row) {
  const RecurrentTag d;
  for_units(hidden, [&](int64_t unit, int64_t count) HWY_ATTR {
    const auto gate = [&](int64_t at) HWY_ATTR {
      return f.gate(hn::Add(load_units(row.x + at, count), load_units(row.sums + at, count)));
    };
    const auto update = gate(unit);
    auto sum = load_units(row.candidate + unit, count);
    if (f.op.linear_before_reset) {
      if (row.bias != nullptr) sum = hn::Add(sum, load_units(row.bias + unit, count));
      sum = hn::Mul(gate(hidden + unit), sum);
    }
    const auto candidate = f.candidate(hn::Add(load_units(row.x + 2 * hidden + unit, count), sum));
    const auto kept = hn::Mul(update, load_units(row.state + unit, count));
    store_units(hn::MulAdd(hn::Sub(hn::Set(d, 1.0f), update), candidate, kept), row.y + unit, count);
  });
}

template <class Functions>
HWY_INLINE void plain(const Functions& f, int64_t hidden, const RecurrentRow& row) {
  for_units(hidden, [&](int64_t unit, int64_t count) HWY_ATTR {
    const auto sum = hn::Add(load_units(row.x + unit, count), load_units(row.sums + unit, count));
    store_units(f.candidate(sum), row.y + unit, count);
  });
}

template <class Functions>
HWY_INLINE void reset(const Functions& f, int64_t hidden, const RecurrentRow& row) {
  for_units(hidden, [&](int64_t unit, int64_t count) HWY_ATTR {
    const int64_t at = hidden + unit;
    const auto gate = f.gate(hn::Add(load_units(row.x + at, count), load_units(row.sums + at, count)));
    store_units(hn::Mul(load_units(row.state + unit, count), gate), row.reset + unit, count);
  });
}

template <bool kDefault>
HWY_NOINLINE void finish_with(const ops::Recurrent& op, int64_t hidden, const RecurrentRow& row) {
  const GateFunctions<kDefault> functions{op};
  if (op.kind == ops::RecurrentKind::kLstm) return lstm(functions, hidden, row);
  if (op.kind == ops::RecurrentKind::kGru) return gru(functions, hidden, row);
  plain(functions, hidden, row);
}

bool has_defaults(const ops::Recurrent& op) {
  const bool is_plain_rnn = op.kind == ops::RecurrentKind::kPlain;
  return op.candidate.kind == ActivationKind::kTanh && (is_plain_rnn || op.gate.kind == ActivationKind::kSigmoid) &&
         (op.kind != ops::RecurrentKind::kLstm || op.cell.kind == ActivationKind::kTanh);
}

}  // namespace

void recurrent_reset(const ops::Recurrent& op, int64_t hidden, const RecurrentRow& row) {
  if (has_defaults(op)) return reset(GateFunctions<true>{op}, hidden, row);
  reset(GateFunctions<false>{op}, hidden, row);
}

void recurrent_finish(const ops::Recurrent& op, int64_t hidden, const RecurrentRow& row) {
  has_defaults(op) ? finish_with<true>(op, hidden, row) : finish_with<false>(op, hidden, row);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(recurrent_reset)
NESTRT_SIMD_EXPORT(recurrent_finish)

RecurrentFunctions recurrent_simd() { return {simd_pick(recurrent_reset_table), simd_pick(recurrent_finish_table)}; }

}  // namespace nestrt::kernels
#endif
