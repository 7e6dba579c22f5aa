// SPDX-License-Identifier: Apache-2.0
// Quantizers of Sony's Model Compression Toolkit (domain mct_quantizers). Each quantizes to integers with a given
// number of bits, and dequantizes. Power-of-two quantizers are symmetric quantizers whose thresholds are powers of two.
#pragma once

#include "compiler-lite/import/node_context.h"

namespace nestrt::compiler {

// ActivationPOTQuantizer, ActivationSymmetricQuantizer, ActivationUniformQuantizer.
Status import_mct_symmetric_activation(NodeContext& node);
Status import_mct_uniform_activation(NodeContext& node);
// WeightsPOTQuantizer, WeightsSymmetricQuantizer, WeightsUniformQuantizer.
Status import_mct_symmetric_weights(NodeContext& node);
Status import_mct_uniform_weights(NodeContext& node);

}  // namespace nestrt::compiler
