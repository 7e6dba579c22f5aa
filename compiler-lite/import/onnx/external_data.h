// Tensor data that an ONNX model keeps in files of their own.
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
  std::optional<int64_t> length;  // absent: to the end of the file
};

// The files beside one model.
class ExternalFiles {
 public:
  // `folder`: the model's.
  explicit ExternalFiles(std::string folder) : folder_(std::move(folder)) {}

  // The bytes of `data`, exactly `expected_bytes` of them. Only a regular file that lies inside the folder and has no
  // second name (hard link) is read: neither an absolute path, nor "..", nor a link may lead elsewhere; of each no more
  // than a few times what it has, however many tensors share it. Errors: kInvalidModel for a location or range that is
  // not allowed, kIo where reading fails.
  Result<Bytes> read(const ExternalData& data, int64_t expected_bytes);

 private:
  const std::string folder_;
  std::map<std::string, Budget> left_;  // of each file, by its path
};

}  // namespace nestrt::compiler
