// SPDX-License-Identifier: Apache-2.0
// Joins the parts of a model into one ONNX model.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "compiler-lite/parts/manifest.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// Returns the bytes of a part's file, given the file's name in the manifest.
using PartSource = std::function<Result<std::vector<std::byte>>(const std::string& file)>;

// Returns an ONNX model with the nodes of all parts in order. The files are untrusted, because other programs may have
// rewritten them. Errors: those of `source`; kInvalidModel (naming the part) if a file is not an ONNX model or if its
// opset, inputs or outputs differ from the manifest; kUnsupported if the ONNX library rejects the result.
Result<std::string> join_parts(const Manifest& manifest, const PartSource& source);

// Reads the parts from the manifest's folder.
Result<std::string> join_parts(const std::string& manifest_path);

}  // namespace nestrt::compiler
