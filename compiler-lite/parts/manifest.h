// The manifest of a model in parts: which files there are, what crosses their borders, in which order they are
// computed. A JSON file beside them.
//
//   {"format": "nestrt parts", "version": 1, "model": NAME, "model_digest": DIGEST, "opset": 13, "batch_norm": "keep",
//    "inputs": [BORDER, ...], "outputs": [BORDER, ...],
//    "parts": [{"name": NAME, "backend": NAME, "file": "NAME.onnx", "operators": [NAME, ...],
//               "inputs": [BORDER, ...], "outputs": [BORDER, ...], "after": [NAME, ...]}, ...]}
//
// BORDER: {"name": NAME, "type": "f32", "shape": [1, 3, 224, 224]}, for integers that stand for real numbers also
// "scales", "zero_points" and, where there are several, "axis": real = (q - zero_point) * scale. Values of one name are
// one value. Parts are in an order in which they can be computed; "after" names those that a part reads from, and parts
// that do not need each other may run side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/data_type.h"
#include "nestrt/driver/plan_tables.h"
#include "nestrt/result.h"
#include "nestrt/shape.h"

namespace nestrt::compiler {

struct Border {
  std::string name;
  DataType type = DataType::kF32;
  Shape shape;
  std::optional<plan::Quantization> quantization;  // as scales and zero points
};

struct ManifestPart {
  std::string name;
  std::string backend;
  std::string file;  // beside the manifest
  std::vector<std::string> operators;
  std::vector<Border> inputs, outputs;
  std::vector<std::string> after;
};

struct Manifest {
  std::string model;         // its name
  std::string model_digest;  // of its file (model_digest())
  int64_t opset = 0;
  bool folded_batch_norm = false;
  std::vector<Border> inputs, outputs;
  std::vector<ManifestPart> parts;

  // Errors: kInvalidArgument for names that are no UTF-8, which JSON cannot hold.
  Result<std::string> to_json() const;
};

inline constexpr std::string_view kManifestFile = "manifest.json";

// Checks all of it: names of files lead nowhere else, every input of a part is there when the part's turn comes, no
// value is computed twice, every output is computed. Errors: kInvalidArgument with the line; kNotFound, kIo.
Result<Manifest> parse_manifest(const std::string& text, std::string_view name);
Result<Manifest> read_manifest(const std::string& path);

}  // namespace nestrt::compiler
