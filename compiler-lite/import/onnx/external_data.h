// SPDX-License-Identifier: Apache-2.0
// Tensor data that an ONNX model stores in separate files.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "compiler-lite/graph/graph.h"
#include "runtime/core/budget.h"

namespace nestrt::compiler {

struct ExternalData {
  std::string location;  // relative to the model's folder
  int64_t offset = 0;
  std::optional<int64_t> length;  // if absent, up to the end of the file
};

// The external data files of one model.
class ExternalFiles {
 public:
  // `folder`: the model's folder.
  explicit ExternalFiles(std::string folder) : folder_(std::move(folder)) {}

  // Returns the bytes of `data`, exactly `expected_bytes`. Reads only regular files inside the folder that have a
  // single hard link; absolute paths, ".." and links that leave the folder are rejected. Tensors may share bytes, but
  // the bytes read from one file are limited to a small multiple of its size. Errors: kInvalidModel for a location or
  // range that is not allowed, kIo if reading fails.
  Result<Bytes> read(const ExternalData& data, int64_t expected_bytes);

 private:
  const std::string folder_;
  std::map<std::string, Budget> left_;  // by path; bytes that may still be read from the file
};

}  // namespace nestrt::compiler
