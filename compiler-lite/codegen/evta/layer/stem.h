// SPDX-License-Identifier: Apache-2.0
// Stem: a network's first convolution, whose image has too few channels to fill a block. Folding moves pixels of the
// image into channels (Layout in nestrt/data_type.h). For example, a convolution of 3 channels with stride 2 becomes
// one of 12 channels with stride 1 and a quarter of the taps.
#pragma once

#include <cstdint>

#include "compiler-lite/codegen/evta/layer/layer.h"
#include "nestrt/data_type.h"

namespace nestrt::compiler::evta {

// Returns the input layout that needs the fewest products: folded by the layer's stride, or blocked16. Requires that
// check(layer) passes.
Layout stem_layout(const ConvLayer& layer, int64_t block);

// Returns the layer over the folded image, with the same sums. Requires a convolution in one group whose strides are
// `fold`.
ConvLayer folded_stem(const ConvLayer& layer, int64_t fold);

}  // namespace nestrt::compiler::evta
