// Fully connected layer: y [M, N] = activation(x [M, K] * weights [K, N] + bias [N]).
//
// Variants:
//   dense.f32.reference  weights packing none, constant or not
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& dense_rules();

struct DenseGeometry {
  int64_t rows = 0;     // M
  int64_t inputs = 0;   // K
  int64_t outputs = 0;  // N
};

// Checks the operator completely. Errors: kInvalidModel, kUnsupported.
Result<DenseGeometry> dense_geometry(const OperatorSpec& spec);

// The variants.
Result<std::unique_ptr<Kernel>> prepare_dense_reference(const OperatorSpec& spec);

}  // namespace nestrt::kernels
