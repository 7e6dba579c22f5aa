// Tile: repeats the input along each axis, or stretches an axis of 1 (ONNX Tile and Expand).
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& tile_rules();

Result<std::unique_ptr<Kernel>> prepare_tile_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_tile_copy(const OperatorSpec& spec);

}  // namespace nestrt::kernels
