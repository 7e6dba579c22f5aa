// SPDX-License-Identifier: Apache-2.0
// Helpers shared by the convolutions that can compute individual output rows (runtime/kernel/row_kernel.h).
#pragma once

#include "kernels/common/layout/window_rows.h"
#include "kernels/conv/direct_tasks.h"
#include "kernels/conv/geometry.h"

namespace nestrt::kernels {

// Returns whether output rows are image rows: there is no depth, and no rows are skipped.
bool has_rows(const ConvGeometry& geometry);

// Returns whether each output reads exactly the input pixel at its own position.
bool reads_own_pixels(const ConvGeometry& geometry);

// Returns the row geometry of a convolution from blocked16 to blocked16, or from a plain image.
RowGeometry blocked_rows(const ConvGeometry& geometry, int64_t element_bytes);
RowGeometry image_rows(const ConvGeometry& geometry, int64_t element_bytes);

// Returns the convolution restricted to the rows of the call. Its output is the rows to compute, and its input is the
// rows that the call provides.
ConvGeometry geometry_of_rows(const ConvGeometry& geometry, const RowCall& call);

// Returns the rows of the call as one chunk of all outputs, for a convolution that satisfies reads_own_pixels(), and
// writes its offsets to the scratch of the call. pixel_offsets_bytes() returns the size of the offsets, saturated.
DirectChunk chunk_of_rows(const ConvGeometry& geometry, const RowCall& call);
size_t pixel_offsets_bytes(const ConvGeometry& geometry, int64_t rows);

}  // namespace nestrt::kernels
