// SPDX-License-Identifier: Apache-2.0
// Scatter: combines rows of a copy of the data with rows of updates, one update at a time. Threads divide the elements
// of a row. Supports f32, s32 and s64 (overflow wraps), and any type if rows are replaced.
#include <fmt/core.h>

#include <cstring>
#include <type_traits>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/indices.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

using Kind = ops::ScatterKind;

bool has_arithmetic(DataType type) {
  return type == DataType::kF32 || type == DataType::kS32 || type == DataType::kS64;
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 3, 3));
  const TensorSpec &data = spec.inputs[0], &indices = spec.inputs[1], &updates = spec.inputs[2];
  if (data.shape.rank() < 1 || indices.shape.rank() != 1)
    return rule_error("the data must have at least one axis, and the indices exactly one");
  NESTRT_RETURN_IF_ERROR(check_indices(indices, data.shape[0]));
  Shape rows = data.shape;
  rows[0] = indices.shape[0];
  if (updates.shape != rows || updates.type != data.type)
    return rule_error(fmt::format("updates are {} {}, expected {} {}", name(updates.type), updates.shape.to_string(),
                                  name(data.type), rows.to_string()));
  const Kind kind = spec.as<ops::Scatter>()->kind;
  if (kind != Kind::kReplace && !has_arithmetic(data.type))
    return Status(Code::kUnsupported,
                  fmt::format("{} does not support {}: cast data and updates to int32, and the result back",
                              ops::name(kind), name(data.type)));
  return single_output(data.type, data.shape);
}

template <typename T>
T combined(Kind kind, T a, T b) {
  using U = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
  switch (kind) {
    case Kind::kAdd:
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    case Kind::kMul:
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    case Kind::kMin:
      return a < b || a != a ? a : b;
    case Kind::kMax:
      return a > b || a != a ? a : b;
    default:
      return b;
  }
}

// Combines `count` elements of an update with a row.
using Combine = void (*)(Kind kind, std::byte* row, const std::byte* update, int64_t count);

template <typename T>
void combine(Kind kind, std::byte* row, const std::byte* update, int64_t count) {
  auto* const to = reinterpret_cast<T*>(row);
  const auto* const from = reinterpret_cast<const T*>(update);
  for (int64_t i = 0; i < count; ++i) to[i] = combined(kind, to[i], from[i]);
}

Combine combine_function(DataType type) {
  switch (type) {
    case DataType::kF32:
      return combine<float>;
    case DataType::kS32:
      return combine<int32_t>;
    default:
      return combine<int64_t>;
  }
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  const TensorSpec& data = spec.inputs[0];
  const int64_t rows = data.shape[0], length = data.shape.product(1, data.shape.rank());
  const int64_t updates = spec.inputs[1].shape[0], width = static_cast<int64_t>(size_bytes(data.type));
  return make_kernel([=, kind = spec.as<ops::Scatter>()->kind, function = combine_function(data.type),
                      index_type = spec.inputs[1].type](const KernelCall& call) {
    const int64_t row_bytes = length * width;
    if (rows * row_bytes == 0) return;
    std::memcpy(call.outputs[0], call.inputs[0], static_cast<size_t>(rows * row_bytes));
    parallel_ranges(*call.parallel, length, updates, [&](int64_t first, int64_t last) {
      for (int64_t i = 0; i < updates; ++i) {
        std::byte* const row =
            call.outputs[0] + index_at(call.inputs[1], index_type, i, rows) * row_bytes + first * width;
        const std::byte* const update = call.inputs[2] + i * row_bytes + first * width;
        if (kind == Kind::kReplace)
          std::memcpy(row, update, static_cast<size_t>((last - first) * width));
        else
          function(kind, row, update, last - first);
      }
    });
  });
}

// Combines rows of a single element, sequentially on one thread.
template <typename T, Kind kKind>
void combine_elements(const KernelCall& call, DataType index_type, int64_t rows, int64_t updates) {
  T* const to = call.output<T>(0);
  const T* const from = call.input<T>(2);
  for (int64_t i = 0; i < updates; ++i) {
    T& element = to[index_at(call.inputs[1], index_type, i, rows)];
    element = combined(kKind, element, from[i]);
  }
}

using CombineElements = void (*)(const KernelCall& call, DataType index_type, int64_t rows, int64_t updates);

template <typename T>
CombineElements arithmetic_function(Kind kind) {
  switch (kind) {
    case Kind::kAdd:
      return combine_elements<T, Kind::kAdd>;
    case Kind::kMul:
      return combine_elements<T, Kind::kMul>;
    case Kind::kMin:
      return combine_elements<T, Kind::kMin>;
    default:
      return combine_elements<T, Kind::kMax>;
  }
}

CombineElements elements_function(Kind kind, DataType type) {
  if (kind == Kind::kReplace) {
    if (size_bytes(type) == 1) return combine_elements<uint8_t, Kind::kReplace>;
    return size_bytes(type) == 4 ? combine_elements<uint32_t, Kind::kReplace>
                                 : combine_elements<uint64_t, Kind::kReplace>;
  }
  if (type == DataType::kF32) return arithmetic_function<float>(kind);
  return type == DataType::kS32 ? arithmetic_function<int32_t>(kind) : arithmetic_function<int64_t>(kind);
}

bool accepts_elements(const OperatorSpec& spec) {
  const Shape& data = spec.inputs[0].shape;
  return is_plain(spec) && data.product(1, data.rank()) == 1;
}

Result<std::unique_ptr<Kernel>> prepare_elements(const OperatorSpec& spec) {
  const TensorSpec& data = spec.inputs[0];
  const CombineElements combine_all = elements_function(spec.as<ops::Scatter>()->kind, data.type);
  return make_kernel([=, rows = data.shape[0], updates = spec.inputs[1].shape[0], width = size_bytes(data.type),
                      index_type = spec.inputs[1].type](const KernelCall& call) {
    if (rows == 0) return;
    std::memcpy(call.outputs[0], call.inputs[0], static_cast<size_t>(rows) * width);
    combine_all(call, index_type, rows, updates);
  });
}

constexpr KernelVariant kKernels[] = {
    {"scatter.reference", 0, is_plain, prepare_reference},
    {"scatter.elements", 10, accepts_elements, prepare_elements},
};

}  // namespace

template <>
const OperatorRules& rules<ops::Scatter>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kScatter,
      .infer = infer,
      .macs = no_macs,
      .steps = copy_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
