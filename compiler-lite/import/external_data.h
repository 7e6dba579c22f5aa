// Tensor data that an ONNX model keeps in files of their own.
#pragma once

#include <optional>
#include <string>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

struct ExternalData {
  std::string location;  // relative to the model's folder
  int64_t offset = 0;
  std::optional<int64_t> length;  // absent: to the end of the file
};

// The bytes of `data`, exactly `expected_bytes` of them. Only a regular file that lies inside `folder` and has no
// second name (hard link) is read: neither an absolute path, nor "..", nor a link may lead elsewhere. Errors:
// kInvalidModel for a location or range that is not allowed, kIo where reading fails.
Result<Bytes> read_external_data(const std::string& folder, const ExternalData& data, int64_t expected_bytes);

}  // namespace nestrt::compiler
