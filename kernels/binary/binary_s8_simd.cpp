// The s8 Add of tensors of one shape and layout, in vectors.
#include "kernels/binary/binary.h"
#include "kernels/common/function_kernel.h"
#include "kernels/common/parallel_ranges.h"
#include "kernels/common/s8c_operands.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/binary/binary_s8_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/s8_vectors-inl.h"
#include "kernels/common/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {

void add_elements(const s8::AddShifts& shifts, int32_t rounding, s8::Bounds bounds, const int8_t* a, const int8_t* b,
                  int8_t* y, int64_t count) {
  const auto add_block = [&](int8_t* to, const int8_t* from_a, const int8_t* from_b) HWY_ATTR {
    for (int64_t i = 0; i < kBlock; i += kLanes)
      store_s8(add_s8(load_s8(from_a + i), load_s8(from_b + i), shifts, rounding), bounds, to + i);
  };
  map_blocks(count, add_block, y, a, b);
}

void add_scaled_elements(const s8c::Addition& add, s8::Bounds bounds, const int8_t* a, const int8_t* b, int8_t* y,
                         int64_t count) {
  const D32 d;
  const V32 zero_a = hn::Set(d, add.zero_a), zero_b = hn::Set(d, add.zero_b), zero = hn::Set(d, add.to.zero_point);
  const auto add_block = [&](int8_t* to, const int8_t* from_a, const int8_t* from_b) HWY_ATTR {
    for (int64_t i = 0; i < kBlock; i += kLanes) {
      const V32 steps_a = hn::Sub(load_s8(from_a + i), zero_a), steps_b = hn::Sub(load_s8(from_b + i), zero_b);
      store_s8(hn::Add(add_s8c(steps_a, steps_b, add.factors), zero), bounds, to + i);
    }
  };
  map_blocks(count, add_block, y, a, b);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(add_elements)
NESTRT_SIMD_EXPORT(add_scaled_elements)

namespace {

// run(a, b, y, count) for parts of the operands.
template <typename Run>
Result<std::unique_ptr<Kernel>> add_kernel(const OperatorSpec& spec, Run run) {
  return make_kernel([count = spec.outputs[0].storage_bytes(), run](const KernelCall& call) {
    const int8_t *a = call.input<int8_t>(0), *b = call.input<int8_t>(1);
    parallel_ranges(*call.parallel, count, 1, [&](int64_t first, int64_t last) {
      run(a + first, b + first, call.output<int8_t>(0) + first, last - first);
    });
  });
}

Result<std::unique_ptr<Kernel>> prepare_scaled(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const s8c::Addition add, s8c::addition_of(spec));
  const Activation activation = spec.as<ops::Binary>()->activation;
  return add_kernel(
      spec, [add, bounds = s8c::activation_bounds(activation, add.to), run = simd_pick(add_scaled_elements_table)](
                const int8_t* a, const int8_t* b, int8_t* y, int64_t count) { run(add, bounds, a, b, y, count); });
}

}  // namespace

bool accepts_binary_s8_add(const OperatorSpec& spec) {
  const TensorSpec& output = spec.outputs[0];
  for (const TensorSpec& input : spec.inputs)
    if (input.type != DataType::kS8 || input.shape != output.shape || input.layout != output.layout ||
        input.packing != Packing::kNone)
      return false;
  return true;
}

Result<std::unique_ptr<Kernel>> prepare_binary_s8_add(const OperatorSpec& spec) {
  if (s8c::has_scales(spec.inputs[0])) return prepare_scaled(spec);
  const ops::Binary& attributes = *spec.as<ops::Binary>();
  NESTRT_ASSIGN_OR_RETURN(const s8::AddShifts shifts, s8::binary_shifts(spec));
  NESTRT_ASSIGN_OR_RETURN(const int exponent, s8::exponent_of(spec.outputs[0], "the output"));
  const s8::Bounds bounds = s8::activation_bounds(attributes.activation, exponent);
  const int32_t rounding = s8::rounding_term(shifts.right, attributes.rounding);
  return add_kernel(spec, [shifts, rounding, bounds, run = simd_pick(add_elements_table)](
                              const int8_t* a, const int8_t* b, int8_t* y, int64_t count) {
    run(shifts, rounding, bounds, a, b, y, count);
  });
}

}  // namespace nestrt::kernels
#endif
