// SPDX-License-Identifier: Apache-2.0
// Vectorized f32 arithmetic, as two kernels. One processes plain tensors in runs of the broadcast loop, the other
// processes blocked tensors pixel by pixel within a block of channels.
#include <algorithm>

#include "kernels/binary/binary.h"
#include "kernels/binary/blocked_operands.h"
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/layout/broadcast_runs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/binary/binary_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/math/activation-inl.h"
#include "kernels/common/simd/partial-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

using BinaryKind = ops::BinaryKind;

template <BinaryKind kKind, class V>
HWY_INLINE V combine(V a, V b) {
  if constexpr (kKind == BinaryKind::kAdd) return hn::Add(a, b);
  if constexpr (kKind == BinaryKind::kSub) return hn::Sub(a, b);
  if constexpr (kKind == BinaryKind::kMul) return hn::Mul(a, b);
  if constexpr (kKind == BinaryKind::kDiv) return hn::Div(a, b);
  // Propagates NaN from either operand. (On x86, Ne would return false for NaN.)
  if constexpr (kKind == BinaryKind::kMin) {
    return hn::IfThenElse(hn::Eq(a, a), hn::IfThenElse(hn::Lt(a, b), a, b), a);
  }
  if constexpr (kKind == BinaryKind::kMax) {
    return hn::IfThenElse(hn::Eq(a, a), hn::IfThenElse(hn::Gt(a, b), a, b), a);
  }
  if constexpr (kKind == BinaryKind::kPrelu) {
    return hn::IfThenElse(hn::Ge(a, hn::Zero(hn::DFromV<V>())), a, hn::Mul(a, b));
  }
}

// Calls body(Constant<kind>()), so that the kind is a compile-time constant in its loop. Requires:
// has_vector_form(kind).
template <BinaryKind kKind>
struct Constant {
  constexpr BinaryKind operator()() const { return kKind; }
};
template <class Body>
HWY_INLINE void with_kind(BinaryKind kind, const Body& body) {
  switch (kind) {
    case BinaryKind::kAdd:
      return body(Constant<BinaryKind::kAdd>());
    case BinaryKind::kSub:
      return body(Constant<BinaryKind::kSub>());
    case BinaryKind::kMul:
      return body(Constant<BinaryKind::kMul>());
    case BinaryKind::kDiv:
      return body(Constant<BinaryKind::kDiv>());
    case BinaryKind::kMin:
      return body(Constant<BinaryKind::kMin>());
    case BinaryKind::kMax:
      return body(Constant<BinaryKind::kMax>());
    case BinaryKind::kPrelu:
      return body(Constant<BinaryKind::kPrelu>());
    default:
      return;
  }
}

HWY_INLINE void activate_in_place(const Activation& activation, float* y, int64_t count) {
  if (activation.kind != ops::ActivationKind::kNone) map_activation(activation, y, y, count);
}

// The activation is a second pass over chunks that fit in the L1 cache.
constexpr int64_t kChunk = 1024;

template <class V>
HWY_INLINE void fill(V value, float* y, int64_t count) {
  const hn::DFromV<V> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(value, d, y + i);
  store_partial(d, value, y + i, count - i);
}

// `step_a`, `step_b`: 0 or 1.
template <BinaryKind kKind>
HWY_INLINE void combine_run(const float* a, int64_t step_a, const float* b, int64_t step_b, float* y, int64_t count) {
  const hn::ScalableTag<float> d;
  if (step_a == 0) {
    const auto scalar = hn::Set(d, *a);
    if (step_b == 0) return fill(combine<kKind>(scalar, hn::Set(d, *b)), y, count);
    return transform(b, y, count, [&](auto v) HWY_ATTR { return combine<kKind>(scalar, v); });
  }
  if (step_b == 0) {
    const auto scalar = hn::Set(d, *b);
    return transform(a, y, count, [&](auto v) HWY_ATTR { return combine<kKind>(v, scalar); });
  }
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(combine<kKind>(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, y + i);
  }
  if (i == count) return;
  const auto tail = combine<kKind>(load_partial(d, a + i, count - i), load_partial(d, b + i, count - i));
  store_partial(d, tail, y + i, count - i);
}

}  // namespace

void binary_run(BinaryKind kind, const Activation& activation, const float* a, int64_t step_a, const float* b,
                int64_t step_b, float* y, int64_t count) {
  with_kind(kind, [&](auto constant) HWY_ATTR {
    for (int64_t i = 0; i < count; i += kChunk) {
      const int64_t chunk = HWY_MIN(kChunk, count - i);
      combine_run<constant()>(a + i * step_a, step_a, b + i * step_b, step_b, y + i, chunk);
      activate_in_place(activation, y + i, chunk);
    }
  });
}

// Computes `pixels` vectors of `block` channels; a and b advance by 0 or `block` elements per pixel.
void binary_pixels(BinaryKind kind, const Activation& activation, const float* a, int64_t step_a, const float* b,
                   int64_t step_b, float* y, int64_t pixels, int64_t block) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), per_chunk = kChunk / block;
  with_kind(kind, [&](auto constant) HWY_ATTR {
    for (int64_t first = 0; first < pixels; first += per_chunk) {
      const int64_t last = HWY_MIN(pixels, first + per_chunk);
      for (int64_t p = first; p < last; ++p) {
        for (int64_t lane = 0; lane < block; lane += lanes) {
          const auto va = hn::LoadU(d, a + p * step_a + lane), vb = hn::LoadU(d, b + p * step_b + lane);
          hn::StoreU(combine<constant()>(va, vb), d, y + p * block + lane);
        }
      }
      activate_in_place(activation, y + first * block, (last - first) * block);
    }
  });
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(binary_run)
NESTRT_SIMD_EXPORT(binary_pixels)

namespace {

using Kind = ops::BinaryKind;

bool has_vector_form(Kind kind) { return kind <= Kind::kPrelu && kind != Kind::kPow; }

class BlockedBinary final : public Kernel {
 public:
  explicit BlockedBinary(const OperatorSpec& spec)
      : run_pixels_(simd_pick(binary_pixels_table)),
        kind_(spec.as<ops::Binary>()->kind),
        activation_(spec.as<ops::Binary>()->activation),
        operands_(spec) {}

  void run(const KernelCall& call) const override {
    operands_.for_each_run(call, [&](const BlockedRun<float>& run) {
      run_pixels_(kind_, activation_, run.a, run.step_a, run.b, run.step_b, run.y, run.pixels, run.block);
    });
  }

 private:
  decltype(simd_pick(binary_pixels_table)) run_pixels_;
  Kind kind_;
  Activation activation_;
  BlockedOperands<float> operands_;
};

bool is_f32_arithmetic(const OperatorSpec& spec) {
  return spec.inputs[0].type == DataType::kF32 && has_vector_form(spec.as<ops::Binary>()->kind);
}

}  // namespace

bool accepts_binary_runs(const OperatorSpec& spec) { return is_plain(spec) && is_f32_arithmetic(spec); }

Result<std::unique_ptr<Kernel>> prepare_binary_runs(const OperatorSpec& spec) {
  const ops::Binary& attributes = *spec.as<ops::Binary>();
  const Shape& shape = spec.outputs[0].shape;
  const auto loop = make_broadcast_loop<2>(shape, {&spec.inputs[0].shape, &spec.inputs[1].shape});
  return make_kernel([loop, count = shape.num_elements(), run = simd_pick(binary_run_table), kind = attributes.kind,
                      activation = attributes.activation](const KernelCall& call) {
    float* y = call.output<float>(0);
    parallel_ranges(*call.parallel, count, 1, [&](int64_t first, int64_t last) {
      for_each_long_run<2>(loop, {call.inputs[0], call.inputs[1]}, {sizeof(float), sizeof(float)}, first, last,
                           [&](const BroadcastRun<2>& part) {
                             run(kind, activation, reinterpret_cast<const float*>(part.from[0]), part.steps[0],
                                 reinterpret_cast<const float*>(part.from[1]), part.steps[1], y + part.out,
                                 part.length);
                           });
    });
  });
}

bool accepts_binary_blocked(const OperatorSpec& spec) {
  return spec.outputs[0].layout != Layout::kPlain && is_f32_arithmetic(spec) && has_blocked_operands(spec);
}

Result<std::unique_ptr<Kernel>> prepare_binary_blocked(const OperatorSpec& spec) {
  return std::unique_ptr<Kernel>(std::make_unique<BlockedBinary>(spec));
}

}  // namespace nestrt::kernels
#endif
