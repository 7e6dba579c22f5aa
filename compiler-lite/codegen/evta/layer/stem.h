// Stem: a network's first convolution, whose image has too few channels to fill a block. Pixels of the image are
// folded into channels (Layout in nestrt/data_type.h): a convolution of 3 channels with stride 2 becomes one of 12
// channels without, with a quarter of the taps.
#pragma once

#include <cstdint>

#include "compiler-lite/codegen/evta/layer/layer.h"
#include "nestrt/data_type.h"

namespace nestrt::compiler::evta {

// The layout in which the layer's input takes the fewest products: folded by the layer's stride, or blocked16.
// Requires: check(layer) passes.
Layout stem_layout(const ConvLayer& layer, int64_t block);

// The layer over the folded image: the same sums. Requires: a convolution in one group whose strides are `fold`.
ConvLayer folded_stem(const ConvLayer& layer, int64_t fold);

}  // namespace nestrt::compiler::evta
