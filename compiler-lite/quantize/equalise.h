// Cross-layer equalisation (M. Nagel et al., Data-Free Quantization Through Weight Equalization and Bias Correction,
// 2019): channels that use little of their value's range are scaled up between two layers, by a factor in the weights
// of the one that is undone in the weights of the other.
#pragma once

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/quantize/profile.h"

namespace nestrt::compiler {

// Changes the weights of Convs and Denses with nothing but a ReLU, a clip from 0 or no activation between them, and the
// means that `profile` has of the values between. Exponents stay. Factors are powers of two, so nothing is rounded;
// what the network computes stays the same, but where a scaled channel exceeds the peak that calibration saw and meets
// the upper bound of a clip. Gives the number of values that were scaled.
int equalise(Graph& graph, QuantizationProfile& profile);

}  // namespace nestrt::compiler
