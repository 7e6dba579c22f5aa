// SPDX-License-Identifier: Apache-2.0
// Gather: slices of the data along an axis, selected by an index tensor.
// output[outer][indices...][inner] = data[outer][index][inner]; outer and inner are the axes around `axis`.
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

// The slices of an operator: [outer][picks] of slice_bytes each.
struct Slices {
  int64_t outer = 0, dim = 0, picks = 0, inner = 0;
  size_t slice_bytes = 0;
  DataType index_type = DataType::kS64;
};

// Copies the slices [first, last), of kBytes each if that is not 0. The next slices are prefetched, because their
// addresses are not predictable.
template <size_t kBytes>
void copy_slices(const Slices& slices, const KernelCall& call, int64_t first, int64_t last) {
  constexpr int64_t kAhead = 8;
  const size_t bytes = kBytes == 0 ? slices.slice_bytes : kBytes;
  int64_t outer = first / slices.picks, pick = first % slices.picks;
  const auto source = [&](int64_t at) {
    const int64_t index = index_at(call.inputs[1], slices.index_type, at, slices.dim);
    return call.inputs[0] + static_cast<size_t>(outer * slices.dim + index) * bytes;
  };
  for (int64_t slice = first; slice < last; ++slice) {
    if (pick + kAhead < slices.picks) __builtin_prefetch(source(pick + kAhead));
    std::memcpy(call.outputs[0] + static_cast<size_t>(slice) * bytes, source(pick), bytes);
    if (++pick < slices.picks) continue;
    pick = 0;
    ++outer;
  }
}

using CopySlices = void (*)(const Slices& slices, const KernelCall& call, int64_t first, int64_t last);

CopySlices copy_function(size_t slice_bytes) {
  switch (slice_bytes) {
    case 1:
      return copy_slices<1>;
    case 4:
      return copy_slices<4>;
    case 8:
      return copy_slices<8>;
    case 16:
      return copy_slices<16>;
    case 64:
      return copy_slices<64>;
    default:
      return copy_slices<0>;
  }
}

Result<std::unique_ptr<Kernel>> prepare_rows(const OperatorSpec& spec) {
  const Shape& data = spec.inputs[0].shape;
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(spec.as<ops::Gather>()->axis, data.rank()));
  Slices slices{data.product(0, axis), data[axis], spec.inputs[1].shape.num_elements(),
                data.product(axis + 1, data.rank())};
  slices.slice_bytes = static_cast<size_t>(slices.inner) * size_bytes(spec.inputs[0].type);
  slices.index_type = spec.inputs[1].type;
  return make_kernel([slices, copy = copy_function(slices.slice_bytes)](const KernelCall& call) {
    if (slices.slice_bytes == 0) return;
    parallel_ranges(*call.parallel, slices.outer * slices.picks, slices.inner,
                    [&](int64_t first, int64_t last) { copy(slices, call, first, last); });
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
