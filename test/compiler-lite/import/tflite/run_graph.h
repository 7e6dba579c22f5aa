// SPDX-License-Identifier: Apache-2.0
// Imports TensorFlow Lite models and runs their graphs. Failures fail the test.
#pragma once

#include <vector>

#include "test/compiler-lite/import/tflite/lite_writer.h"

namespace nestrt::test {

compiler::Graph imported(const LiteWriter& model, const compiler::ImportOptions& options = {});
compiler::Graph optimised(const LiteWriter& model);

// Returns the outputs of a graph whose inputs and outputs are all f32.
std::vector<std::vector<float>> run_floats(const compiler::Graph& graph, const std::vector<std::vector<float>>& inputs);

}  // namespace nestrt::test
