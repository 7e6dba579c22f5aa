// SPDX-License-Identifier: Apache-2.0
// The table of all TensorFlow Lite operators that can be imported.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "compiler-lite/import/tflite/lite_node.h"

namespace nestrt::compiler {

using LiteOp = tflite::OperatorCodeValue;

struct LiteRule {
  LiteOp code = LiteOp::CUSTOM;
  size_t num_inputs = 1;  // number of inputs that must be present
  // Imports one operator. Nothing in it is trusted, except that its tensors exist, that the first inputs and the first
  // output are present, and that the options have the rule's type.
  Status (*import)(LiteNode& node) = nullptr;
  uint8_t options_type = 0;  // 0 if options are ignored
  bool (*verify)(const LiteFile& file, const tflite::Options& options) = nullptr;
  std::string_view custom = {};  // name of a custom operator
  bool has_outputs = true;
};

// Returns a rule for an operator with options. `type`: the value of the format's union BuiltinOptions.
template <typename Table>
constexpr LiteRule lite_rule(LiteOp code, size_t num_inputs, Status (*import)(LiteNode& node), uint8_t type) {
  return {code, num_inputs, import, type,
          [](const LiteFile& file, const tflite::Options& options) { return file.verify<Table>(options); }};
}
constexpr LiteRule lite_rule(LiteOp code, size_t num_inputs, Status (*import)(LiteNode& node)) {
  return {code, num_inputs, import};
}

// Returns a rule for an operator without outputs.
constexpr LiteRule lite_sink(LiteOp code, size_t num_inputs, Status (*import)(LiteNode& node)) {
  LiteRule rule = lite_rule(code, num_inputs, import);
  rule.has_outputs = false;
  return rule;
}

// Sorted by code, then by custom name.
std::span<const LiteRule> lite_rules();
// Returns null if the operator is not supported.
const LiteRule* find_lite_rule(const LiteCode& code);

// Rules by family, one source file each.
std::span<const LiteRule> lite_convolution_rules();  // CONV_2D, TRANSPOSE_CONV, pools, ...
std::span<const LiteRule> lite_matrix_rules();       // FULLY_CONNECTED, BATCH_MATMUL
std::span<const LiteRule> lite_element_rules();      // ADD, RELU, LOGISTIC, QUANTIZE, SELECT, ...
std::span<const LiteRule> lite_reduction_rules();    // MEAN, SUM, ARG_MAX, SOFTMAX, ...
std::span<const LiteRule> lite_shape_rules();        // RESHAPE, SQUEEZE, SHAPE, PACK, ...
std::span<const LiteRule> lite_movement_rules();     // CONCATENATION, PAD, SLICE, TRANSPOSE, GATHER, ...
std::span<const LiteRule> lite_resampling_rules();   // RESIZE_BILINEAR, DEPTH_TO_SPACE, ...
std::span<const LiteRule> lite_recurrent_rules();    // UNIDIRECTIONAL_SEQUENCE_LSTM
std::span<const LiteRule> lite_svdf_rules();         // SVDF
std::span<const LiteRule> lite_detection_rules();    // TFLite_Detection_PostProcess
std::span<const LiteRule> lite_control_rules();      // IF, WHILE
std::span<const LiteRule> lite_variable_rules();     // VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE, CALL_ONCE

}  // namespace nestrt::compiler
