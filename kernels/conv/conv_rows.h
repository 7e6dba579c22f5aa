// SPDX-License-Identifier: Apache-2.0
// Helpers shared by the convolutions that can compute individual output rows (runtime/kernel/row_kernel.h).
#pragma once

#include "kernels/common/layout/window_rows.h"
#include "kernels/conv/direct_tasks.h"
#include "kernels/conv/geometry.h"

namespace nestrt::kernels {

// Returns whether each output row is one image row: there is no depth, and no rows are skipped.
bool has_rows(const ConvGeometry& geometry);

// Returns whether each output reads only the input pixel at its own position.
bool reads_own_pixels(const ConvGeometry& geometry);

// Return the row geometry of a convolution whose input is blocked16 or a plain image. The output is blocked16.
RowGeometry blocked_rows(const ConvGeometry& geometry, int64_t element_bytes);
RowGeometry image_rows(const ConvGeometry& geometry, int64_t element_bytes);

// Returns the convolution restricted to the rows of the call. Its output consists of the rows to compute, its input of
// the rows that the call provides.
ConvGeometry geometry_of_rows(const ConvGeometry& geometry, const RowCall& call);

// For a convolution that satisfies reads_own_pixels(): returns the rows of the call as one chunk with all outputs, and
// writes its offsets to the scratch of the call. pixel_offsets_bytes() returns the size of the offsets; it saturates.
DirectChunk chunk_of_rows(const ConvGeometry& geometry, const RowCall& call);
size_t pixel_offsets_bytes(const ConvGeometry& geometry, int64_t rows);

}  // namespace nestrt::kernels
