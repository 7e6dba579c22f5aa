// SPDX-License-Identifier: Apache-2.0
// The manifest of a model in parts: the files, their borders and the order of computation. It is a JSON file in the
// folder of the parts.
//
//   {"format": "nestrt parts", "version": 1, "model": NAME, "model_digest": DIGEST, "opset": 13, "batch_norm": "keep",
//    "inputs": [BORDER, ...], "outputs": [BORDER, ...],
//    "parts": [{"name": NAME, "backend": NAME, "file": "NAME.onnx", "operators": [NAME, ...],
//               "inputs": [BORDER, ...], "outputs": [BORDER, ...], "after": [NAME, ...]}, ...]}
//
// BORDER: {"name": NAME, "type": "f32", "shape": [1, 3, 224, 224]}. Quantized integers also have "scales",
// "zero_points" and, if there are several scales, "axis": real = (q - zero_point) * scale. Equal names denote the same
// value. Parts are in a valid order of computation. "after" names the parts that a part reads from; parts that do not
// depend on each other may run concurrently.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler-lite/parts/borders.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

struct ManifestPart {
  std::string name;
  std::string backend;
  std::string file;  // in the manifest's folder
  std::vector<std::string> operators;
  std::vector<Border> inputs, outputs;
  std::vector<std::string> after;
};

struct Manifest {
  std::string model;         // name of the model
  std::string model_digest;  // of the model's file (model_digest())
  int64_t opset = 0;
  bool folded_batch_norm = false;
  std::vector<Border> inputs, outputs;
  std::vector<ManifestPart> parts;

  // Errors: kInvalidArgument for names that are not UTF-8, which JSON does not support.
  Result<std::string> to_json() const;
};

inline constexpr std::string_view kManifestFile = "manifest.json";

// Checks the whole manifest: file names stay in its folder, every input of a part is available before the part, no
// value is computed twice, every output is computed. Errors: kInvalidArgument with the line; kNotFound, kIo.
Result<Manifest> parse_manifest(const std::string& text, std::string_view name);
Result<Manifest> read_manifest(const std::string& path);

}  // namespace nestrt::compiler
