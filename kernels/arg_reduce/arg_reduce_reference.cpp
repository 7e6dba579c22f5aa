#include "kernels/arg_reduce/arg_reduce.h"
#include "kernels/common/function_kernel.h"
#include "kernels/common/rules.h"
#include "kernels/common/slices.h"

namespace nestrt::kernels {
namespace {

template <typename T>
bool is_nan(T x) {
  return x != x;
}

// Whether a candidate further along takes the place of the best so far.
template <typename T>
bool beats(T candidate, T best, bool smallest, bool select_last) {
  if (is_nan(best)) return select_last && is_nan(candidate);
  if (is_nan(candidate) || (smallest ? candidate < best : candidate > best)) return true;
  return select_last && candidate == best;
}

template <typename T>
Result<std::unique_ptr<Kernel>> arg_kernel(const OperatorSpec& spec) {
  const plan::ArgReduce& attributes = *spec.op->attributes_as_ArgReduce();
  const AxisExtents extents = axis_extents(spec.inputs[0].shape, attributes.axis());
  return make_kernel([extents, smallest = attributes.min(), last = attributes.select_last()](const KernelCall& call) {
    const T* x = call.input<T>(0);
    int64_t* y = call.output<int64_t>(0);
    for_each_slice(*call.parallel, extents, [&](int64_t slice, int64_t start) {
      int64_t best = 0;
      for (int64_t i = 1; i < extents.length; ++i) {
        if (beats(x[start + i * extents.inner], x[start + best * extents.inner], smallest, last)) best = i;
      }
      y[slice] = best;
    });
  });
}

}  // namespace

bool accepts_arg_reduce_reference(const OperatorSpec& spec) { return is_plain(spec); }

Result<std::unique_ptr<Kernel>> prepare_arg_reduce_reference(const OperatorSpec& spec) {
  switch (spec.inputs[0].type) {
    case DataType::kF32:
      return arg_kernel<float>(spec);
    case DataType::kS8:
      return arg_kernel<int8_t>(spec);
    case DataType::kU8:
      return arg_kernel<uint8_t>(spec);
    case DataType::kS32:
      return arg_kernel<int32_t>(spec);
    default:
      return arg_kernel<int64_t>(spec);
  }
}

}  // namespace nestrt::kernels
