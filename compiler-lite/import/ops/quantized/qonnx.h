// SPDX-License-Identifier: Apache-2.0
// Quant of QONNX and Brevitas: quantizes to integers with a given number of bits, and dequantizes.
#pragma once

#include "compiler-lite/import/node_context.h"

namespace nestrt::compiler {

Status import_quant(NodeContext& node);

}  // namespace nestrt::compiler
