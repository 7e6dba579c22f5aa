#include <type_traits>

#include "kernels/common/function_kernel.h"
#include "kernels/common/rules.h"
#include "kernels/common/slices.h"
#include "kernels/cumsum/cumsum.h"

namespace nestrt::kernels {
namespace {

template <typename T, typename Sum>
Result<std::unique_ptr<Kernel>> cumsum_kernel(const OperatorSpec& spec) {
  const plan::CumSum& attributes = *spec.op->attributes_as_CumSum();
  const AxisExtents extents = axis_extents(spec.inputs[0].shape, attributes.axis());
  return make_kernel(
      [extents, exclusive = attributes.exclusive(), reverse = attributes.reverse()](const KernelCall& call) {
        const T* x = call.input<T>(0);
        T* y = call.output<T>(0);
        for_each_slice(*call.parallel, extents, [&](int64_t, int64_t start) {
          Sum sum{};
          for (int64_t i = 0; i < extents.length; ++i) {
            const int64_t at = start + (reverse ? extents.length - 1 - i : i) * extents.inner;
            const Sum with = sum + static_cast<Sum>(x[at]);
            y[at] = static_cast<T>(exclusive ? sum : with);
            sum = with;
          }
        });
      });
}

}  // namespace

bool accepts_cumsum_reference(const OperatorSpec& spec) { return is_plain(spec); }

Result<std::unique_ptr<Kernel>> prepare_cumsum_reference(const OperatorSpec& spec) {
  switch (spec.inputs[0].type) {
    case DataType::kF32:
      return cumsum_kernel<float, double>(spec);
    case DataType::kS32:
      return cumsum_kernel<int32_t, uint32_t>(spec);
    default:
      return cumsum_kernel<int64_t, uint64_t>(spec);
  }
}

}  // namespace nestrt::kernels
