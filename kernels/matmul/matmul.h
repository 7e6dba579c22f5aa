// SPDX-License-Identifier: Apache-2.0
// Matrix product of two tensors with the rules of numpy.matmul: the last two axes are matrices, and the axes before
// them are broadcast. A vector is a row on the left and a column on the right.
//
// Variants (plain layout, any operand may be constant):
//   matmul.f32.panel16
//   matmul.f32.reference
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

struct MatMulGeometry {
  int64_t rows = 0;     // M
  int64_t inner = 0;    // K
  int64_t columns = 0;  // N
  Shape batch;          // broadcast
  Shape a_batch;        // rank of `batch`; 1 in broadcast dimensions
  Shape b_batch;
  Shape output;

  int64_t batches() const { return batch.num_elements(); }
  // Return the index of the matrix of A or B that a batch uses.
  int64_t a_index(int64_t index) const { return operand_index(a_batch, index); }
  int64_t b_index(int64_t index) const { return operand_index(b_batch, index); }

 private:
  int64_t operand_index(const Shape& operand, int64_t index) const;
};

// Fully validates the operator. Errors: kInvalidModel, kUnsupported.
Result<MatMulGeometry> matmul_geometry(const OperatorSpec& spec);
// Checks only that the shapes are compatible.
Result<MatMulGeometry> matmul_geometry(const Shape& a, const Shape& b);

// The variants. Both accept any operator that satisfies is_plain().
Result<std::unique_ptr<Kernel>> prepare_matmul_panel16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_matmul_reference(const OperatorSpec& spec);

}  // namespace nestrt::kernels
