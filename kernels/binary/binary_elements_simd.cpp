// SPDX-License-Identifier: Apache-2.0
// Comparisons, logic and integer arithmetic. The loops use no intrinsics, because the compiler vectorizes them.
#include <algorithm>
#include <type_traits>

#include "kernels/binary/binary.h"
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/layout/broadcast_runs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/binary/binary_elements_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

using BinaryKind = ops::BinaryKind;

constexpr int64_t kElements = 256;  // per chunk

// The output may alias an operand if their positions match.
template <typename In, typename Out, typename Function>
HWY_INLINE void map_run(const BroadcastRun<2>& run, std::byte* to, const Function& function) {
  const ChunkedOperand<In, kElements> a(run.from[0], run.steps[0], run.length);
  const ChunkedOperand<In, kElements> b(run.from[1], run.steps[1], run.length);
  auto* const y = reinterpret_cast<Out*>(to);
  for (int64_t i = 0; i < run.length; i += kElements) {
    const In *x0 = a.at(i), *x1 = b.at(i);
    const int64_t count = HWY_MIN(kElements, run.length - i);
#pragma GCC ivdep
    for (int64_t j = 0; j < count; ++j) y[i + j] = static_cast<Out>(function(x0[j], x1[j]));
  }
}

// The less-than kinds. For the greater-than kinds, the caller exchanges the operands.
template <typename T>
void compare_run(BinaryKind kind, const BroadcastRun<2>& run, std::byte* to) {
  if (kind == BinaryKind::kEqual) return map_run<T, uint8_t>(run, to, [](T a, T b) HWY_ATTR { return a == b; });
  if (kind == BinaryKind::kLess) return map_run<T, uint8_t>(run, to, [](T a, T b) HWY_ATTR { return a < b; });
  return map_run<T, uint8_t>(run, to, [](T a, T b) HWY_ATTR { return a <= b; });
}

// U: the unsigned counterpart of T, in which overflow wraps.
template <typename T, typename U = std::make_unsigned_t<T>>
void integer_run(BinaryKind kind, const BroadcastRun<2>& run, std::byte* to) {
  switch (kind) {
    case BinaryKind::kAdd:
      return map_run<U, U>(run, to, [](U a, U b) HWY_ATTR { return a + b; });
    case BinaryKind::kSub:
      return map_run<U, U>(run, to, [](U a, U b) HWY_ATTR { return a - b; });
    case BinaryKind::kMul:
      return map_run<U, U>(run, to, [](U a, U b) HWY_ATTR { return a * b; });
    case BinaryKind::kMin:
      return map_run<T, T>(run, to, [](T a, T b) HWY_ATTR { return a < b ? a : b; });
    case BinaryKind::kMax:
      return map_run<T, T>(run, to, [](T a, T b) HWY_ATTR { return a > b ? a : b; });
    case BinaryKind::kBitwiseAnd:
      return map_run<U, U>(run, to, [](U a, U b) HWY_ATTR { return a & b; });
    case BinaryKind::kBitwiseOr:
      return map_run<U, U>(run, to, [](U a, U b) HWY_ATTR { return a | b; });
    case BinaryKind::kBitwiseXor:
      return map_run<U, U>(run, to, [](U a, U b) HWY_ATTR { return a ^ b; });
    default:
      return compare_run<T>(kind, run, to);
  }
}

void logical_run(BinaryKind kind, const BroadcastRun<2>& run, std::byte* to) {
  using B = uint8_t;
  if (kind == BinaryKind::kEqual) return map_run<B, B>(run, to, [](B a, B b) HWY_ATTR { return (a != 0) == (b != 0); });
  if (kind == BinaryKind::kLogicalAnd)
    return map_run<B, B>(run, to, [](B a, B b) HWY_ATTR { return (a != 0) & (b != 0); });
  if (kind == BinaryKind::kLogicalOr) return map_run<B, B>(run, to, [](B a, B b) HWY_ATTR { return (a | b) != 0; });
  return map_run<B, B>(run, to, [](B a, B b) HWY_ATTR { return (a != 0) != (b != 0); });
}

}  // namespace

// Computes a run of the elements at `to`.
void binary_elements(DataType type, BinaryKind kind, const BroadcastRun<2>& run, std::byte* to) {
  switch (type) {
    case DataType::kF32:
      return compare_run<float>(kind, run, to);
    case DataType::kS32:
      return integer_run<int32_t>(kind, run, to);
    case DataType::kS64:
      return integer_run<int64_t>(kind, run, to);
    default:
      return logical_run(kind, run, to);
  }
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(binary_elements)

namespace {

using Kind = ops::BinaryKind;

bool has_element_loop(Kind kind, DataType type) {
  const bool compares = kind >= Kind::kEqual && kind <= Kind::kGreaterOrEqual;
  if (type == DataType::kF32) return compares;
  if (type == DataType::kBool) return true;
  if (type != DataType::kS32 && type != DataType::kS64) return false;
  return compares || kind == Kind::kAdd || kind == Kind::kSub || kind == Kind::kMul || kind == Kind::kMin ||
         kind == Kind::kMax || (kind >= Kind::kBitwiseAnd && kind <= Kind::kBitwiseXor);
}

}  // namespace

bool accepts_binary_elements(const OperatorSpec& spec) {
  return is_plain(spec) && has_element_loop(spec.as<ops::Binary>()->kind, spec.inputs[0].type);
}

Result<std::unique_ptr<Kernel>> prepare_binary_elements(const OperatorSpec& spec) {
  const Shape& shape = spec.outputs[0].shape;
  const DataType type = spec.inputs[0].type;
  const Kind stated = spec.as<ops::Binary>()->kind;
  const bool exchange = stated == Kind::kGreater || stated == Kind::kGreaterOrEqual;
  const Kind kind = !exchange ? stated : stated == Kind::kGreater ? Kind::kLess : Kind::kLessOrEqual;
  const size_t a = exchange ? 1 : 0, b = 1 - a;
  const auto loop = make_broadcast_loop<2>(shape, {&spec.inputs[a].shape, &spec.inputs[b].shape});
  const auto width = static_cast<int64_t>(size_bytes(type));
  const auto out_width = static_cast<int64_t>(size_bytes(spec.outputs[0].type));
  return make_kernel(
      [=, count = shape.num_elements(), compute = simd_pick(binary_elements_table)](const KernelCall& call) {
        parallel_ranges(*call.parallel, count, 1, [&](int64_t first, int64_t last) {
          for_each_long_run<2>(
              loop, {call.inputs[a], call.inputs[b]}, {width, width}, first, last,
              [&](const BroadcastRun<2>& run) { compute(type, kind, run, call.outputs[0] + run.out * out_width); });
        });
      });
}

}  // namespace nestrt::kernels
#endif
