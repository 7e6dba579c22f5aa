// SPDX-License-Identifier: Apache-2.0
// Vectorized arithmetic of s8 tensors with scales: plain tensors with any broadcasting, and blocked16 tensors.
#include <algorithm>

#include "kernels/binary/binary.h"
#include "kernels/binary/blocked_operands.h"
#include "kernels/binary/exact_sum.h"
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/layout/broadcast_runs.h"
#include "kernels/common/quantization/s8c_operands.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/binary/binary_s8_scaled_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/quantization/s8_vectors-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

using ScaledKind = ops::BinaryKind;
using DSteps = hn::Rebind<float, D32>;

// Applies s8c::combine() to kLanes elements.
class Combine {
 public:
  explicit Combine(const s8c::BinaryFactors& factors)
      : factors_(factors),
        low_(static_cast<float>(factors.bounds.low - factors.to.zero_point)),
        high_(static_cast<float>(factors.bounds.high - factors.to.zero_point)) {}

  template <ScaledKind kKind>
  HWY_INLINE void run(const int8_t* from_a, const int8_t* from_b, int8_t* to) const {
    const D32 d;
    const V32 stored_a = load_s8(from_a), stored_b = load_s8(from_b);
    if constexpr (kKind == ScaledKind::kMin) return store_s8(hn::Min(stored_a, stored_b), factors_.bounds, to);
    if constexpr (kKind == ScaledKind::kMax) return store_s8(hn::Max(stored_a, stored_b), factors_.bounds, to);
    const V32 a = hn::Sub(stored_a, hn::Set(d, factors_.zero_a)), b = hn::Sub(stored_b, hn::Set(d, factors_.zero_b));
    const V32 zero = hn::Set(d, factors_.to.zero_point);
    if constexpr (kKind == ScaledKind::kMul || kKind == ScaledKind::kPrelu) {
      const DSteps f;
      auto steps = hn::Mul(hn::ConvertTo(f, hn::Mul(a, b)), hn::Set(f, factors_.ratio_product));
      if constexpr (kKind == ScaledKind::kPrelu) {
        const auto positive = hn::Mul(hn::ConvertTo(f, a), hn::Set(f, factors_.ratio_a));
        steps = hn::IfThenElse(hn::RebindMask(f, hn::Lt(a, hn::Zero(d))), steps, positive);
      }
      const auto limited = hn::Min(hn::Max(steps, hn::Set(f, low_)), hn::Set(f, high_));
      store_s8(hn::Add(hn::NearestInt(limited), zero), factors_.bounds, to);
    } else {
      store_s8(hn::Add(add_s8c(a, b, factors_.sum), zero), factors_.bounds, to);
    }
  }

 private:
  const s8c::BinaryFactors& factors_;
  float low_, high_;  // bounds in steps from the zero point
};

template <ScaledKind kKind>
HWY_INLINE void combine_blocks(const s8c::BinaryFactors& factors, const int8_t* a, int64_t step_a, const int8_t* b,
                               int64_t step_b, int8_t* y, int64_t count) {
  const Combine combine(factors);
  const auto block = [&](const int8_t* from_a, const int8_t* from_b, int8_t* to) HWY_ATTR {
    for (int64_t lane = 0; lane < kBlock; lane += kLanes)
      combine.template run<kKind>(from_a + lane, from_b + lane, to + lane);
  };
  for (; count >= kBlock; count -= kBlock, a += step_a, b += step_b, y += kBlock) block(a, b, y);
  if (count == 0) return;
  int8_t whole[kBlock];
  block(Rest<int8_t>(a, step_a == 0 ? kBlock : count).elements, Rest<int8_t>(b, step_b == 0 ? kBlock : count).elements,
        whole);
  std::copy_n(whole, count, y);
}

}  // namespace

// Computes `count` elements. For every 16 results, a and b each advance by 0 or 16 elements.
void combine_scaled(const s8c::BinaryFactors& factors, const int8_t* a, int64_t step_a, const int8_t* b, int64_t step_b,
                    int8_t* y, int64_t count) {
  switch (factors.kind) {
    case ScaledKind::kMul:
      return combine_blocks<ScaledKind::kMul>(factors, a, step_a, b, step_b, y, count);
    case ScaledKind::kPrelu:
      return combine_blocks<ScaledKind::kPrelu>(factors, a, step_a, b, step_b, y, count);
    case ScaledKind::kMin:
      return combine_blocks<ScaledKind::kMin>(factors, a, step_a, b, step_b, y, count);
    case ScaledKind::kMax:
      return combine_blocks<ScaledKind::kMax>(factors, a, step_a, b, step_b, y, count);
    default:
      return combine_blocks<ScaledKind::kAdd>(factors, a, step_a, b, step_b, y, count);
  }
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(combine_scaled)

namespace {

constexpr int64_t kScaledBlock = 16;

// Computes runs of elements, with the table if there is one.
struct ScaledRun {
  explicit ScaledRun(const s8c::BinaryFactors& binary) : factors(binary), table(prepare_exact_sum(factors)) {}

  void operator()(const int8_t* a, int64_t step_a, const int8_t* b, int64_t step_b, int8_t* y, int64_t count) const {
    if (table != nullptr) return table->look_up(a, step_a, b, step_b, y, count);
    combine(factors, a, step_a, b, step_b, y, count);
  }

  s8c::BinaryFactors factors;
  std::shared_ptr<const PairTable> table;
  decltype(simd_pick(combine_scaled_table)) combine = simd_pick(combine_scaled_table);
};

// A run's operand in blocks of 16 elements; a single element is repeated to fill the block.
struct BlockOperand {
  BlockOperand(const std::byte* from, int64_t step) : elements(reinterpret_cast<const int8_t*>(from)) {
    if (step != 0) return;
    std::fill_n(repeated, kScaledBlock, *elements);
    elements = repeated;
    this->step = 0;
  }
  BlockOperand(const BlockOperand&) = delete;
  BlockOperand& operator=(const BlockOperand&) = delete;

  const int8_t* elements;
  int64_t step = kScaledBlock;
  int8_t repeated[kScaledBlock];
};

Result<std::unique_ptr<Kernel>> prepare_scaled_runs(const OperatorSpec& spec, const ScaledRun& run) {
  const Shape& shape = spec.outputs[0].shape;
  const auto loop = make_broadcast_loop<2>(shape, {&spec.inputs[0].shape, &spec.inputs[1].shape});
  return make_kernel([loop, count = shape.num_elements(), run](const KernelCall& call) {
    int8_t* const y = call.output<int8_t>(0);
    parallel_ranges(*call.parallel, count, 1, [&](int64_t first, int64_t last) {
      for_each_long_run<2>(loop, {call.inputs[0], call.inputs[1]}, {1, 1}, first, last,
                           [&](const BroadcastRun<2>& part) {
                             const BlockOperand a(part.from[0], part.steps[0]), b(part.from[1], part.steps[1]);
                             run(a.elements, a.step, b.elements, b.step, y + part.out, part.length);
                           });
    });
  });
}

}  // namespace

bool accepts_binary_s8_scaled(const OperatorSpec& spec) {
  if (spec.inputs[0].type != DataType::kS8 || !s8c::has_scales(spec.inputs[0])) return false;
  return is_plain(spec) || (spec.outputs[0].layout == Layout::kBlocked16 && has_blocked_operands(spec));
}

Result<std::unique_ptr<Kernel>> prepare_binary_s8_scaled(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const s8c::BinaryFactors factors, s8c::binary_factors(spec));
  const ScaledRun run(factors);
  if (is_plain(spec)) return prepare_scaled_runs(spec, run);
  return make_kernel([run, operands = BlockedOperands<int8_t>(spec)](const KernelCall& call) {
    operands.for_each_run(call, [&](const BlockedRun<int8_t>& part) {
      run(part.a, part.step_a, part.b, part.step_b, part.y, part.pixels * part.block);
    });
  });
}

}  // namespace nestrt::kernels
#endif
