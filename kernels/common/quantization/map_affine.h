// SPDX-License-Identifier: Apache-2.0
// Kernels that map every stored element of one tensor to the same position of another, using the scale and zero point
// of the element.
#pragma once

#include <utility>

#include "kernels/common/framework/map_elements.h"
#include "kernels/common/quantization/s8c_operands.h"

namespace nestrt::kernels {

// y[i] = function(x[i], map.at(i)) for i in [0, count).
template <typename In, typename Out, typename Function>
Result<std::unique_ptr<Kernel>> map_affine(int64_t count, s8c::AffineMap map, Function function) {
  return make_kernel([count, map = std::move(map), function](const KernelCall& call) {
    const In* x = call.input<In>(0);
    Out* y = call.output<Out>(0);
    parallel_ranges(*call.parallel, count, 1, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) y[i] = function(x[i], map.at(i));
    });
  });
}

// Returns whether elements can be mapped as stored, regardless of their position: the tensor `quantized` is s8 with one
// exponent or scale, and both sides have the same layout.
inline bool is_stored_s8_map(const OperatorSpec& spec, const TensorSpec& quantized) {
  return is_stored_map(spec) && quantized.type == DataType::kS8 &&
         (quantized.quantization == nullptr || quantized.quantization->axis == -1);
}

}  // namespace nestrt::kernels
