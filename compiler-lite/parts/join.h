// The parts of a model put together again.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "compiler-lite/parts/manifest.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// The bytes of a part's file, by the name that the manifest states.
using PartSource = std::function<Result<std::vector<std::byte>>(const std::string& file)>;

// The ONNX model that has the nodes of all parts, one after the other. The files are untrusted, somebody else may have
// rewritten them. Errors: those of `source`; with the part's name, kInvalidModel for a file that is no ONNX model, is
// of another opset than the manifest says, or has other inputs and outputs; kUnsupported where the ONNX library refuses
// the result.
Result<std::string> join_parts(const Manifest& manifest, const PartSource& source);

// Reads them from the manifest's folder.
Result<std::string> join_parts(const std::string& manifest_path);

}  // namespace nestrt::compiler
