// SPDX-License-Identifier: Apache-2.0
// Gather: selects slices of the data along an axis by an index tensor. output[outer][indices...][inner] =
// data[outer][index][inner]; outer and inner are the axes around `axis`.
#include <algorithm>
#include <cstring>

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
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(spec.as<ops::Gather>()->axis, data.rank()));
  NESTRT_RETURN_IF_ERROR(check_indices(spec.inputs[1], data[axis]));
  std::vector<int64_t> dims(data.begin(), data.begin() + axis);
  dims.insert(dims.end(), indices.begin(), indices.end());
  dims.insert(dims.end(), data.begin() + axis + 1, data.end());
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, checked_shape(dims, "the output"));
  return single_output(spec.inputs[0].type, shape);
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  const Shape& data = spec.inputs[0].shape;
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(spec.as<ops::Gather>()->axis, data.rank()));
  const int64_t outer = data.product(0, axis), dim = data[axis], inner = data.product(axis + 1, data.rank());
  const int64_t picks = spec.inputs[1].shape.num_elements();
  const size_t slice_bytes = static_cast<size_t>(inner) * size_bytes(spec.inputs[0].type);
  return make_kernel([=, index_type = spec.inputs[1].type](const KernelCall& call) {
    if (slice_bytes == 0) return;
    parallel_ranges(*call.parallel, outer * picks, inner, [&](int64_t first, int64_t last) {
      for (int64_t slice = first; slice < last; ++slice) {
        const int64_t source = slice / picks * dim + index_at(call.inputs[1], index_type, slice % picks, dim);
        std::memcpy(call.outputs[0] + static_cast<size_t>(slice) * slice_bytes,
                    call.inputs[0] + static_cast<size_t>(source) * slice_bytes, slice_bytes);
      }
    });
  });
}

// The slices of an operator: the output is [outer][picks] slices of slice_bytes each.
struct Slices {
  int64_t outer = 0, dim = 0, picks = 0, inner = 0;
  size_t slice_bytes = 0;
};

// Copies the picks [first, last) of one outer slice. A pick has kBytes, or slice_bytes if kBytes is 0; such long slices
// are prefetched, because their addresses are not predictable.
template <size_t kBytes, DataType kIndexType>
void copy_picks(const Slices& slices, const std::byte* indices, const std::byte* from, std::byte* to, int64_t first,
                int64_t last) {
  constexpr int64_t kAhead = 8;
  const int64_t dim = slices.dim;
  const size_t bytes = kBytes == 0 ? slices.slice_bytes : kBytes;
  const auto source = [=](int64_t pick) {
    return from + static_cast<size_t>(index_at(indices, kIndexType, pick, dim)) * bytes;
  };
  for (int64_t pick = first; pick < last; ++pick, to += bytes) {
    if (kBytes == 0 && pick + kAhead < last) __builtin_prefetch(source(pick + kAhead));
    std::memcpy(to, source(pick), bytes);
  }
}

using CopyPicks = void (*)(const Slices& slices, const std::byte* indices, const std::byte* from, std::byte* to,
                           int64_t first, int64_t last);

template <DataType kIndexType>
CopyPicks copy_function(size_t slice_bytes) {
  switch (slice_bytes) {
    case 1:
      return copy_picks<1, kIndexType>;
    case 4:
      return copy_picks<4, kIndexType>;
    case 8:
      return copy_picks<8, kIndexType>;
    case 16:
      return copy_picks<16, kIndexType>;
    default:
      return copy_picks<0, kIndexType>;
  }
}

Result<std::unique_ptr<Kernel>> prepare_rows(const OperatorSpec& spec) {
  const Shape& data = spec.inputs[0].shape;
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(spec.as<ops::Gather>()->axis, data.rank()));
  Slices slices{data.product(0, axis), data[axis], spec.inputs[1].shape.num_elements(),
                data.product(axis + 1, data.rank())};
  slices.slice_bytes = static_cast<size_t>(slices.inner) * size_bytes(spec.inputs[0].type);
  const CopyPicks copy = spec.inputs[1].type == DataType::kS64 ? copy_function<DataType::kS64>(slices.slice_bytes)
                                                               : copy_function<DataType::kS32>(slices.slice_bytes);
  return make_kernel([slices, copy](const KernelCall& call) {
    if (slices.slice_bytes == 0) return;
    const auto copy_slices = [&](int64_t first, int64_t last) {
      while (first < last) {
        const int64_t picks = slices.picks, pick = first % picks, count = std::min(picks - pick, last - first);
        copy(slices, call.inputs[1],
             call.inputs[0] + static_cast<size_t>(first / picks * slices.dim) * slices.slice_bytes,
             call.outputs[0] + static_cast<size_t>(first) * slices.slice_bytes, pick, pick + count);
        first += count;
      }
    };
    parallel_ranges(*call.parallel, slices.outer * slices.picks, slices.inner, copy_slices);
  });
}

constexpr KernelVariant kKernels[] = {
    {"gather.reference", 0, is_plain, prepare_reference},
    {"gather.rows", 10, is_plain, prepare_rows},
};

}  // namespace

template <>
const OperatorRules& rules<ops::Gather>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kGather,
      .infer = infer,
      .macs = no_macs,
      .steps = copy_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
