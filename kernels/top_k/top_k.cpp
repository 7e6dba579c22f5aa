// SPDX-License-Identifier: Apache-2.0
// TopK: the indices of the largest (or smallest) elements of each slice along an axis, in order. The output serves as a
// heap of the best elements so far, with the worst of these on top.
#include <fmt/core.h>

#include <bit>
#include <utility>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/layout/slices.h"
#include "kernels/registry.h"
#include "kernels/top_k/first_above.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const ops::TopK& attributes = *spec.as<ops::TopK>();
  const TensorSpec& input = spec.inputs[0];
  if (input.type == DataType::kBool) return rule_error("the input is bool, expected numbers");
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(attributes.axis, input.shape.rank()));
  if (attributes.count < 0 || attributes.count > input.shape[axis])
    return rule_error(
        fmt::format("count {} is more than the {} elements of the axis", attributes.count, input.shape[axis]));
  Shape shape = input.shape;
  shape[axis] = attributes.count;
  return single_output(DataType::kS64, shape);
}

// Returns an integer key with the same order as the elements. NaN is larger than all numbers.
int64_t key_of(const std::byte* elements, DataType type, int64_t at) {
  switch (type) {
    case DataType::kF32: {
      const float x = reinterpret_cast<const float*>(elements)[at];
      if (x != x) return INT64_MAX - 1;
      const auto bits = std::bit_cast<int32_t>(x);
      return bits >= 0 ? bits : -int64_t{bits & INT32_MAX};  // -0 is 0
    }
    case DataType::kS64:
      return reinterpret_cast<const int64_t*>(elements)[at];
    case DataType::kS32:
      return reinterpret_cast<const int32_t*>(elements)[at];
    case DataType::kS8:
      return reinterpret_cast<const int8_t*>(elements)[at];
    default:
      return reinterpret_cast<const uint8_t*>(elements)[at];
  }
}

// One slice. The selected positions are `step` apart in the output.
struct Slice {
  const std::byte* elements;
  DataType type;
  bool smallest;
  int64_t start, step;  // for elements and positions
  int64_t* positions;

  int64_t key(int64_t position) const {
    const int64_t key = key_of(elements, type, start + position * step);
    return smallest ? ~key : key;
  }
  // Returns whether position `a` precedes `b` in the result.
  bool is_before(int64_t a, int64_t b) const {
    const int64_t key_a = key(a), key_b = key(b);
    return key_a > key_b || (key_a == key_b && a < b);
  }
  int64_t& at(int64_t index) const { return positions[index * step]; }

  // Sifts the entry at `index` down the heap until it follows its children in the result.
  void sink(int64_t index, int64_t count) const {
    for (int64_t child = 2 * index + 1; child < count; child = 2 * index + 1) {
      if (child + 1 < count && is_before(at(child), at(child + 1))) ++child;
      if (is_before(at(child), at(index))) return;
      std::swap(at(child), at(index));
      index = child;
    }
  }

  // `next`: next(i, worst) returns the first position, starting at i, that may precede position `worst` in the result.
  template <typename Next>
  void select(int64_t length, int64_t count, const Next& next) const {
    for (int64_t i = 0; i < count; ++i) at(i) = i;
    for (int64_t i = count / 2 - 1; i >= 0; --i) sink(i, count);
    for (int64_t i = next(count, at(0)); i < length; i = next(i + 1, at(0))) {
      if (!is_before(i, at(0))) continue;
      at(0) = i;
      sink(0, count);
    }
    for (int64_t last = count - 1; last > 0; --last) {
      std::swap(at(0), at(last));
      sink(0, last);
    }
  }
};

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  const ops::TopK& attributes = *spec.as<ops::TopK>();
  const AxisExtents extents = axis_extents(spec.inputs[0].shape, attributes.axis);
  return make_kernel([extents, count = int64_t{attributes.count}, smallest = attributes.smallest,
                      type = spec.inputs[0].type](const KernelCall& call) {
    if (count == 0) return;
    for_each_slice(*call.parallel, extents, [&](int64_t slice, int64_t start) {
      int64_t* const positions =
          call.output<int64_t>(0) + slice / extents.inner * count * extents.inner + slice % extents.inner;
      Slice{call.inputs[0], type, smallest, start, extents.inner, positions}.select(
          extents.length, count, [](int64_t i, int64_t) { return i; });
    });
  });
}

// Vectorized search that skips elements that cannot be selected. Requires: f32, and the axis is innermost.
Result<std::unique_ptr<Kernel>> prepare_skip(const OperatorSpec& spec) {
  const ops::TopK& attributes = *spec.as<ops::TopK>();
  const AxisExtents extents = axis_extents(spec.inputs[0].shape, attributes.axis);
  return make_kernel([extents, count = int64_t{attributes.count}, smallest = attributes.smallest,
                      find = first_above_function()](const KernelCall& call) {
    if (count == 0) return;
    const float sign = smallest ? -1.0f : 1.0f;
    for_each_slice(*call.parallel, extents, [&](int64_t slice, int64_t start) {
      const float* const x = call.input<float>(0) + start;
      const Slice selected{call.inputs[0], DataType::kF32, smallest, start, 1, call.output<int64_t>(0) + slice * count};
      selected.select(extents.length, count,
                      [&](int64_t i, int64_t worst) { return i + find(x + i, extents.length - i, sign, x[worst]); });
    });
  });
}

bool accepts_skip(const OperatorSpec& spec) {
  return is_plain(spec) && spec.inputs[0].type == DataType::kF32 &&
         axis_extents(spec.inputs[0].shape, spec.as<ops::TopK>()->axis).inner == 1;
}

// Assumes that each element sifts through the whole heap.
int64_t steps(const OperatorSpec& spec) {
  const auto depth = static_cast<int64_t>(std::bit_width(static_cast<uint32_t>(spec.as<ops::TopK>()->count)));
  return element_steps(spec, saturating_product(kFunctionSteps, depth + 1), saturating_product(kFunctionSteps, depth));
}

constexpr KernelVariant kKernels[] = {
    {"top_k.reference", 0, is_plain, prepare_reference},
    {"top_k.f32.skip", 10, accepts_skip, prepare_skip},
};

}  // namespace

template <>
const OperatorRules& rules<ops::TopK>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kTopK,
      .infer = infer,
      .macs = no_macs,
      .steps = steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
