// SPDX-License-Identifier: Apache-2.0
// The metadata of a TensorFlow Lite model that describes the preprocessing of its inputs.
#pragma once

#include <vector>

#include "compiler-lite/import/tflite/lite_file.h"
#include "nestrt/preprocessing.h"

namespace nestrt::compiler {

// Returns the normalization of the inputs of the main subgraph, in their order. Inputs without one, and those after the
// last entry of the metadata, have no mean and no scale. Errors: kInvalidModel if the metadata is damaged.
Result<std::vector<Preprocessing>> lite_normalizations(const LiteFile& file);

// Returns the normalization with one mean and one scale per channel. Errors: kInvalidModel if there are several means
// or scales, but not one per channel.
Result<Preprocessing> for_channels(Preprocessing normalization, int64_t channels);

}  // namespace nestrt::compiler
