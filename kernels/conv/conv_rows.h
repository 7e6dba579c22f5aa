// What the convolutions that compute rows of their output alone (nestrt/row_kernel.h) share.
#pragma once

#include "kernels/conv/direct_tasks.h"
#include "kernels/conv/geometry.h"
#include "nestrt/row_kernel.h"

namespace nestrt::kernels {

// Whether rows of it are rows of images: no depth, and no rows that are left out.
bool has_rows(const ConvGeometry& geometry);

// Whether each output reads one pixel, which lies at its own place.
bool reads_own_pixels(const ConvGeometry& geometry);

RowImages row_input_of(const ConvGeometry& geometry, int64_t element_bytes);
RowImages row_output_of(const ConvGeometry& geometry, int64_t element_bytes);
int64_t most_input_rows(const ConvGeometry& geometry, int64_t rows);
RowWindow input_rows(const ConvGeometry& geometry, RowWindow rows);

// The convolution whose whole output are the call's rows, and whose whole input those that the call has.
ConvGeometry geometry_of_rows(const ConvGeometry& geometry, const RowCall& call);

// Of a convolution that reads_own_pixels(): the call's rows as one chunk of all outputs, whose offsets go to the call's
// scratch. Bytes there, for so many rows; saturated.
DirectChunk chunk_of_rows(const ConvGeometry& geometry, const RowCall& call);
size_t pixel_offsets_bytes(const ConvGeometry& geometry, int64_t rows);

}  // namespace nestrt::kernels
