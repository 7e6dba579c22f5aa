// SPDX-License-Identifier: Apache-2.0
// Import of a model file of any supported format: ONNX (compiler-lite/import/import.h) or TensorFlow Lite
// (compiler-lite/import/tflite).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler-lite/import/import.h"

namespace nestrt::compiler {

// Imports a file; its first bytes determine the format. Errors: those of import_onnx().
Result<Graph> import_model(const std::string& path, const ImportOptions& options = {});

// Returns true if a file is a TensorFlow Lite model, and false if not or if it cannot be read.
bool is_tflite(const std::string& path);

// Returns true if a TensorFlow Lite model contains layers with f32 or int16 inputs and 8-bit weights. Plans compute
// them in f32, LiteRT in integers. Returns false if the file cannot be read.
bool is_hybrid_tflite(const std::string& path);

// `model`: the bytes of a TensorFlow Lite file. Errors: those of import_onnx().
Result<Graph> import_tflite(std::vector<std::byte> model, const ImportOptions& options = {});

}  // namespace nestrt::compiler
