// What the convolutions that compute rows of their output alone (nestrt/driver/row_kernel.h) share.
#pragma once

#include "kernels/common/layout/window_rows.h"
#include "kernels/conv/direct_tasks.h"
#include "kernels/conv/geometry.h"

namespace nestrt::kernels {

// Whether rows of it are rows of images: no depth, and no rows that are left out.
bool has_rows(const ConvGeometry& geometry);

// Whether each output reads one pixel, which lies at its own place.
bool reads_own_pixels(const ConvGeometry& geometry);

// Of a convolution from blocked16 to blocked16, or from an image, which is plain.
RowGeometry blocked_rows(const ConvGeometry& geometry, int64_t element_bytes);
RowGeometry image_rows(const ConvGeometry& geometry, int64_t element_bytes);

// The convolution whose whole output are the call's rows, and whose whole input those that the call has.
ConvGeometry geometry_of_rows(const ConvGeometry& geometry, const RowCall& call);

// Of a convolution that reads_own_pixels(): the call's rows as one chunk of all outputs, whose offsets go to the call's
// scratch. Bytes there, for so many rows; saturated.
DirectChunk chunk_of_rows(const ConvGeometry& geometry, const RowCall& call);
size_t pixel_offsets_bytes(const ConvGeometry& geometry, int64_t rows);

}  // namespace nestrt::kernels
