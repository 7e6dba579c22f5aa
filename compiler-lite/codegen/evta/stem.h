// Stem: a network's first convolution, whose picture is plain and has too few channels to fill a block. The driver
// brings the picture into blocks and can fold pixels into channels on the way (runtime/plan/folding.h): a convolution
// of 3 channels with stride 2 becomes one of 12 channels without, with a quarter of the taps.
#pragma once

#include <cstdint>

#include "compiler-lite/codegen/evta/layer.h"
#include "nestrt/result.h"

namespace nestrt::compiler::evta {

struct Stem {
  ConvLayer layer;  // over the folded picture: the same sums
  int64_t fold = 1;
};

// With the fold that takes the fewest products: the layer's stride, or none.
// Errors: those of check(layer), and kUnsupported for what is no convolution in one group.
Result<Stem> make_stem(const ConvLayer& layer, int64_t block);

}  // namespace nestrt::compiler::evta
