// SPDX-License-Identifier: Apache-2.0
// Kernels that map every stored element of one tensor, including padding lanes, to the same position in another. Input
// and output have the same layout.
#pragma once

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"

namespace nestrt::kernels {

inline int64_t stored_elements(const TensorSpec& tensor) {
  return tensor.storage_bytes() / static_cast<int64_t>(size_bytes(tensor.type));
}

// Calls run(x, y, n) on ranges of n elements that cover [0, count).
template <typename In, typename Out, typename Run>
Result<std::unique_ptr<Kernel>> map_ranges(int64_t count, Run run) {
  return make_kernel([count, run](const KernelCall& call) {
    parallel_ranges(*call.parallel, count, 1, [&](int64_t first, int64_t last) {
      run(call.input<In>(0) + first, call.output<Out>(0) + first, last - first);
    });
  });
}

// y[i] = function(x[i]) for i in [0, count).
template <typename In, typename Out, typename Function>
Result<std::unique_ptr<Kernel>> map_elements(int64_t count, Function function) {
  return map_ranges<In, Out>(count, [function](const In* x, Out* y, int64_t n) {
    for (int64_t i = 0; i < n; ++i) y[i] = function(x[i]);
  });
}

// Returns whether elements can be mapped as stored: input and output have the same layout, and the input is not packed.
inline bool is_stored_map(const OperatorSpec& spec) {
  return spec.inputs[0].layout == spec.outputs[0].layout && spec.inputs[0].packing == Packing::kNone;
}

// Returns whether input and output have the same blocked layout, which reference kernels do not support.
inline bool is_blocked_map(const OperatorSpec& spec) {
  return spec.inputs[0].layout != Layout::kPlain && spec.inputs[0].layout == spec.outputs[0].layout;
}

}  // namespace nestrt::kernels
