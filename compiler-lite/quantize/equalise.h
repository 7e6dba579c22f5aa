// SPDX-License-Identifier: Apache-2.0
// Cross-layer equalisation (M. Nagel et al., Data-Free Quantization Through Weight Equalization and Bias Correction,
// 2019). Scales up channels that use little of their value's range between two layers. A factor in the weights of the
// first layer is undone in the weights of the second.
#pragma once

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/quantize/profile.h"

namespace nestrt::compiler {

// Changes the weights of Convs and Denses that have a ReLU, a clip from 0 or no activation between them, and updates
// the means and peaks in `profile` of the values between. Exponents stay. Factors are powers of two, so nothing is
// rounded. The network computes the same results unless a scaled channel exceeds the peak seen in calibration and
// reaches the upper bound of a clip. Returns the number of scaled values.
int equalise(Graph& graph, QuantizationProfile& profile);

}  // namespace nestrt::compiler
