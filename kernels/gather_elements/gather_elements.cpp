// SPDX-License-Identifier: Apache-2.0
// GatherElements: output[i][j] = data[indices[i][j]][j] for axis 0, and so on for other axes.
#include <fmt/core.h>

#include <utility>

#include "kernels/common/framework/elements.h"
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/indices.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 2, 2));
  const Shape &data = spec.inputs[0].shape, &indices = spec.inputs[1].shape;
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(spec.as<ops::GatherElements>()->axis, data.rank()));
  NESTRT_RETURN_IF_ERROR(check_indices(spec.inputs[1], data[axis]));
  bool fits = indices.rank() == data.rank();
  for (int i = 0; fits && i < data.rank(); ++i) fits = i == axis || indices[i] <= data[i];
  if (!fits)
    return rule_error(fmt::format("indices have shape {}, which exceeds shape {} of the data outside axis {}",
                                  indices.to_string(), data.to_string(), axis));
  return single_output(spec.inputs[0].type, indices);
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  const Shape data = spec.inputs[0].shape, output = spec.outputs[0].shape;
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(spec.as<ops::GatherElements>()->axis, data.rank()));
  const Index data_strides = strides_of(data), output_strides = strides_of(output);
  const size_t size = size_bytes(spec.inputs[0].type);
  return make_kernel([=, index_type = spec.inputs[1].type](const KernelCall& call) {
    copy_elements(output, size, call.inputs[0], call.outputs[0], [&](const Index& index) {
      int64_t source = 0, position = 0;
      for (size_t i = 0; i < static_cast<size_t>(output.rank()); ++i) {
        position += index[i] * output_strides[i];
        if (static_cast<int>(i) != axis) source += index[i] * data_strides[i];
      }
      return source +
             index_at(call.inputs[1], index_type, position, data[axis]) * data_strides[static_cast<size_t>(axis)];
    });
  });
}

// The rows of the output along its innermost axis. `strides`: the strides of the other axes in the data; the stride of
// `axis` is 0.
struct Rows {
  Shape output;
  Index strides{};
  int64_t dim = 0, axis_stride = 0;
  bool is_innermost = false;  // whether the axis is the last one

  int64_t length() const { return output[output.rank() - 1]; }
  // Returns the offset into the data of the first element of a row, for index 0.
  int64_t offset(int64_t row) const {
    int64_t result = 0;
    for (int i = output.rank() - 2; i >= 0; row /= output[i--])
      result += row % output[i] * strides[static_cast<size_t>(i)];
    return result;
  }
};

// T represents any element type of the same size.
template <typename T, DataType kIndexType>
void gather_rows(const Rows& rows, const KernelCall& call, int64_t first, int64_t last) {
  const int64_t length = rows.length(), dim = rows.dim, axis_stride = rows.axis_stride;
  for (int64_t row = first; row < last; ++row) {
    const T* const from = call.input<T>(0) + rows.offset(row);
    T* const to = call.output<T>(0) + row * length;
    const auto index = [=, indices = call.inputs[1]](int64_t i) {
      return index_at(indices, kIndexType, row * length + i, dim);
    };
    if (rows.is_innermost) {
      for (int64_t i = 0; i < length; ++i) to[i] = from[index(i)];
    } else {
      for (int64_t i = 0; i < length; ++i) to[i] = from[index(i) * axis_stride + i];
    }
  }
}

using GatherRows = void (*)(const Rows& rows, const KernelCall& call, int64_t first, int64_t last);

template <typename T>
GatherRows gather_function(DataType index_type) {
  return index_type == DataType::kS64 ? gather_rows<T, DataType::kS64> : gather_rows<T, DataType::kS32>;
}

GatherRows gather_function(size_t element_bytes, DataType index_type) {
  if (element_bytes == 1) return gather_function<uint8_t>(index_type);
  return element_bytes == 4 ? gather_function<uint32_t>(index_type) : gather_function<uint64_t>(index_type);
}

Result<std::unique_ptr<Kernel>> prepare_rows(const OperatorSpec& spec) {
  const Shape& data = spec.inputs[0].shape;
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(spec.as<ops::GatherElements>()->axis, data.rank()));
  if (spec.outputs[0].shape.num_elements() == 0) return make_kernel([](const KernelCall&) {});
  Rows rows{spec.outputs[0].shape, strides_of(data), data[axis]};
  rows.axis_stride = std::exchange(rows.strides[static_cast<size_t>(axis)], 0);
  rows.is_innermost = axis + 1 == data.rank();
  const GatherRows gather = gather_function(size_bytes(spec.inputs[0].type), spec.inputs[1].type);
  return make_kernel([rows, gather](const KernelCall& call) {
    const int64_t count = rows.output.num_elements() / rows.length();
    parallel_ranges(*call.parallel, count, rows.length(),
                    [&](int64_t first, int64_t last) { gather(rows, call, first, last); });
  });
}

constexpr KernelVariant kKernels[] = {
    {"gather_elements.reference", 0, is_plain, prepare_reference},
    {"gather_elements.rows", 10, is_plain, prepare_rows},
};

}  // namespace

template <>
const OperatorRules& rules<ops::GatherElements>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kGatherElements,
      .infer = infer,
      .macs = no_macs,
      .steps = copy_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
