// SPDX-License-Identifier: Apache-2.0
// Import of a model file of any supported format: ONNX (compiler-lite/import/import.h) or TensorFlow Lite
// (compiler-lite/import/tflite).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler-lite/import/import.h"

namespace nestrt::compiler {

// Imports a file; its first bytes determine the format. Errors: as import_onnx().
Result<Graph> import_model(const std::string& path, const ImportOptions& options = {});

// Returns whether a file is a TensorFlow Lite model; false if it cannot be read.
bool is_tflite(const std::string& path);

// Returns whether a TensorFlow Lite model has layers of f32 or int16 inputs and 8-bit weights, which plans compute in
// f32 and LiteRT in integers; false if it cannot be read.
bool is_hybrid_tflite(const std::string& path);

// `model`: the bytes of a TensorFlow Lite file. Errors: as import_onnx().
Result<Graph> import_tflite(std::vector<std::byte> model, const ImportOptions& options = {});

}  // namespace nestrt::compiler
