// SPDX-License-Identifier: Apache-2.0
// Export rules by operator family, one source file each, as in compiler-lite/import/ops.
#pragma once

#include <span>

#include "compiler-lite/export/export_table.h"
#include "compiler-lite/export/node_writer.h"

namespace nestrt::compiler {

std::span<const ExportRule> convolution_export_rules();    // Conv, ConvTranspose
std::span<const ExportRule> pool_export_rules();           // Pool
std::span<const ExportRule> matrix_export_rules();         // Dense, MatMul
std::span<const ExportRule> unary_export_rules();          // Unary, Cast
std::span<const ExportRule> binary_export_rules();         // Binary, Select
std::span<const ExportRule> normalization_export_rules();  // Softmax, LocalResponseNorm, LayerNorm, ...
std::span<const ExportRule> reduction_export_rules();      // Reduce, ArgReduce, CumSum
std::span<const ExportRule> shape_export_rules();          // Reshape
std::span<const ExportRule> movement_export_rules();       // Concat, Slice, Transpose, Tile, Gather, ...
std::span<const ExportRule> resampling_export_rules();     // Pad, Resize
std::span<const ExportRule> selection_export_rules();      // TopK, Scatter, NonMaxSuppression
std::span<const ExportRule> recurrent_export_rules();      // Recurrent
std::span<const ExportRule> quantization_export_rules();   // Quantize, Dequantize, MatMulInteger, ...

}  // namespace nestrt::compiler
