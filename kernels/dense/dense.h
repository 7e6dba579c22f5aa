// SPDX-License-Identifier: Apache-2.0
// Fully connected layer: y [M, N] = activation(x [M, K] * weights [K, N] + bias [N]).
//
// Variants:
//   dense.f32.panel16    constant weights and bias; packing panel16
//   dense.f32.reference  weights with packing none, which may be computed at run time
//   dense.s8.panel       as dense.s8.reference; packing s8_panel
//   dense.s8.reference   s8 as in docs/concepts/numerics.md; constant weights and bias, packing none
// If weights are not packed, prepare() packs them. Inputs and outputs are plain.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

struct DenseGeometry {
  int64_t rows = 0;     // M
  int64_t inputs = 0;   // K
  int64_t outputs = 0;  // N
};

// Fully validates the operator. Errors: kInvalidModel, kUnsupported.
Result<DenseGeometry> dense_geometry(const OperatorSpec& spec);

// The variants.
bool accepts_dense_panel16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_dense_panel16(const OperatorSpec& spec);
bool accepts_dense_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_dense_reference(const OperatorSpec& spec);
bool accepts_dense_s8_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_dense_s8_reference(const OperatorSpec& spec);
bool accepts_dense_s8_panel(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_dense_s8_panel(const OperatorSpec& spec);

}  // namespace nestrt::kernels
