// Cast: to another element type (ops::Cast::to). Integers wrap into narrower ones; f32 to integer truncates towards
// zero and saturates, NaN gives 0; to boolean, whatever is not zero is true; quantized tensors are not cast.
#include <string>
#include <type_traits>

#include "kernels/common/function_kernel.h"
#include "kernels/common/parallel_ranges.h"
#include "kernels/common/rules.h"
#include "kernels/common/saturate.h"
#include "kernels/common/steps.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  return single_output(spec.as<ops::Cast>()->to, spec.inputs[0].shape);
}

template <typename To, typename From>
To convert(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From{};
  } else if constexpr (std::is_same_v<From, float> && std::is_integral_v<To>) {
    return saturate_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

// In memory a boolean is a byte; any value but 0 counts as true.
template <typename T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

template <typename From, typename To>
Result<std::unique_ptr<Kernel>> cast_kernel(int64_t count) {
  return make_kernel([count](const KernelCall& call) {
    const Stored<From>* x = call.input<Stored<From>>(0);
    Stored<To>* y = call.output<Stored<To>>(0);
    parallel_ranges(*call.parallel, count, 1, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const From value = static_cast<From>(x[i]);
        y[i] = static_cast<Stored<To>>(convert<To>(value));
      }
    });
  });
}

template <typename From>
Result<std::unique_ptr<Kernel>> cast_from(DataType to, int64_t count) {
  switch (to) {
    case DataType::kF32:
      return cast_kernel<From, float>(count);
    case DataType::kS8:
      return cast_kernel<From, int8_t>(count);
    case DataType::kU8:
      return cast_kernel<From, uint8_t>(count);
    case DataType::kS32:
      return cast_kernel<From, int32_t>(count);
    case DataType::kS64:
      return cast_kernel<From, int64_t>(count);
    case DataType::kBool:
      return cast_kernel<From, bool>(count);
  }
  return Status(Code::kInternal, "unknown data type");
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  const int64_t count = spec.inputs[0].shape.num_elements();
  const DataType to = spec.outputs[0].type;
  switch (spec.inputs[0].type) {
    case DataType::kF32:
      return cast_from<float>(to, count);
    case DataType::kS8:
      return cast_from<int8_t>(to, count);
    case DataType::kU8:
      return cast_from<uint8_t>(to, count);
    case DataType::kS32:
      return cast_from<int32_t>(to, count);
    case DataType::kS64:
      return cast_from<int64_t>(to, count);
    case DataType::kBool:
      return cast_from<bool>(to, count);
  }
  return Status(Code::kInternal, "unknown data type");
}

constexpr KernelVariant kKernels[] = {
    {"cast.reference", 0, is_plain, prepare_reference},
};

}  // namespace

template <>
const OperatorRules& rules<ops::Cast>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kCast,
      .infer = infer,
      .macs = no_macs,
      .steps = copy_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
