// SPDX-License-Identifier: Apache-2.0
// Vectorized f32 arithmetic. Two kernels: one for plain tensors, over runs of the broadcast loop, and one for blocked
// tensors, over pixels of one block of channels.
#include <algorithm>
#include <array>
#include <vector>

#include "kernels/binary/binary.h"
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/layout/broadcast_runs.h"
#include "kernels/common/math/integers.h"

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
  // Propagates a NaN of either operand. (Ne would be false for NaN on x86.)
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

// Calls body(Constant<kind>()), so that the kind is a constant in its loop. Requires: has_vector_form(kind).
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

constexpr int64_t kLargestBlock = 32;

bool has_vector_form(Kind kind) { return kind <= Kind::kPrelu && kind != Kind::kPow; }

// Role of an operand in a blocked operation.
enum class Role {
  kSame,     // the output's shape and layout
  kPixel,    // blocked, with one pixel: [N or 1, C, 1...]
  kChannel,  // a plain constant with one value per channel
  kScalar,
  kNone,  // not supported
};

// Returns the operand's dimension at an axis of the output; 1 if it has no such axis.
int64_t aligned_dim(const Shape& shape, const Shape& output, int axis) {
  const int own = axis - (output.rank() - shape.rank());
  return own < 0 ? 1 : shape[own];
}

Role role_of(const TensorSpec& operand, const TensorSpec& output) {
  if (operand.packing != Packing::kNone) return Role::kNone;
  if (operand.shape == output.shape && operand.layout == output.layout) return Role::kSame;
  if (operand.shape.num_elements() == 1) return Role::kScalar;
  for (int axis = 2; axis < output.shape.rank(); ++axis)
    if (aligned_dim(operand.shape, output.shape, axis) != 1) return Role::kNone;
  if (aligned_dim(operand.shape, output.shape, 1) != output.shape[1]) return Role::kNone;
  if (operand.layout == output.layout && operand.shape.rank() == output.shape.rank()) return Role::kPixel;
  const bool one_image = aligned_dim(operand.shape, output.shape, 0) == 1;
  return operand.layout == Layout::kPlain && operand.constant != nullptr && one_image ? Role::kChannel : Role::kNone;
}

// The values of one operand at run time, with the steps between images, blocks and pixels.
struct BlockedOperand {
  Role role = Role::kNone;
  std::vector<float> packed;  // kChannel: padded to whole blocks
  int64_t image_step = 0;
  int64_t block_step = 0;
  int64_t pixel_step = 0;
};

BlockedOperand make_operand(const TensorSpec& operand, const TensorSpec& output) {
  const Shape& shape = output.shape;
  const int64_t block = block_size(output.layout), blocks = ceil_div(shape[1], block);
  const int64_t spatial = shape.product(2, shape.rank());
  BlockedOperand result;
  result.role = role_of(operand, output);
  if (result.role == Role::kScalar) return result;
  result.block_step = block;
  if (result.role == Role::kSame) {
    result.pixel_step = block;
    result.block_step = spatial * block;
    result.image_step = blocks * result.block_step;
  } else if (result.role == Role::kPixel) {
    result.image_step = operand.shape[0] == 1 ? 0 : blocks * block;
  } else {
    const float* values = reinterpret_cast<const float*>(operand.constant);
    result.packed.assign(values, values + shape[1]);
    result.packed.resize(static_cast<size_t>(blocks * block), 1.0f);
  }
  return result;
}

// Returns the start of the operand's values. A scalar is copied to all of `lanes`.
const float* operand_data(const BlockedOperand& operand, const float* input, std::array<float, kLargestBlock>& lanes) {
  if (operand.role == Role::kChannel) return operand.packed.data();
  if (operand.role != Role::kScalar) return input;
  lanes.fill(*input);
  return lanes.data();
}

class BlockedBinary final : public Kernel {
 public:
  explicit BlockedBinary(const OperatorSpec& spec)
      : run_pixels_(simd_pick(binary_pixels_table)),
        kind_(spec.as<ops::Binary>()->kind),
        activation_(spec.as<ops::Binary>()->activation),
        a_(make_operand(spec.inputs[0], spec.outputs[0])),
        b_(make_operand(spec.inputs[1], spec.outputs[0])) {
    const TensorSpec& output = spec.outputs[0];
    images_ = output.shape[0];
    block_ = block_size(output.layout);
    blocks_ = ceil_div(output.shape[1], block_);
    spatial_ = output.shape.product(2, output.shape.rank());
  }

  void run(const KernelCall& call) const override {
    std::array<float, kLargestBlock> lanes_a, lanes_b;
    const float* a = operand_data(a_, call.input<float>(0), lanes_a);
    const float* b = operand_data(b_, call.input<float>(1), lanes_b);
    float* y = call.output<float>(0);
    parallel_ranges(*call.parallel, images_ * blocks_ * spatial_, block_, [&](int64_t first, int64_t last) {
      while (first < last) {
        const int64_t plane = first / spatial_, pixel = first % spatial_;
        const int64_t pixels = std::min(spatial_ - pixel, last - first);
        run_pixels_(kind_, activation_, at(a_, a, plane, pixel), a_.pixel_step, at(b_, b, plane, pixel), b_.pixel_step,
                    y + first * block_, pixels, block_);
        first += pixels;
      }
    });
  }

 private:
  const float* at(const BlockedOperand& operand, const float* data, int64_t plane, int64_t pixel) const {
    return data + plane / blocks_ * operand.image_step + plane % blocks_ * operand.block_step +
           pixel * operand.pixel_step;
  }

  decltype(simd_pick(binary_pixels_table)) run_pixels_;
  Kind kind_;
  Activation activation_;
  BlockedOperand a_, b_;
  int64_t images_ = 0, blocks_ = 0, spatial_ = 0, block_ = 0;
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
  const TensorSpec& output = spec.outputs[0];
  return output.layout != Layout::kPlain && output.shape.rank() >= 2 && is_f32_arithmetic(spec) &&
         role_of(spec.inputs[0], output) != Role::kNone && role_of(spec.inputs[1], output) != Role::kNone;
}

Result<std::unique_ptr<Kernel>> prepare_binary_blocked(const OperatorSpec& spec) {
  return std::unique_ptr<Kernel>(std::make_unique<BlockedBinary>(spec));
}

}  // namespace nestrt::kernels
#endif
