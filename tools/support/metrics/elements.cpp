// SPDX-License-Identifier: Apache-2.0
#include "tools/support/metrics/elements.h"

#include <vector>

namespace nestrt::tools {

double element(const ConstTensorView& tensor, size_t index) {
  switch (tensor.type) {
    case DataType::kF32:
      return static_cast<double>(static_cast<const float*>(tensor.data)[index]);
    case DataType::kS8:
      return static_cast<const int8_t*>(tensor.data)[index];
    case DataType::kU8:
    case DataType::kBool:
      return static_cast<const uint8_t*>(tensor.data)[index];
    case DataType::kS32:
      return static_cast<const int32_t*>(tensor.data)[index];
    case DataType::kS64:
      return static_cast<double>(static_cast<const int64_t*>(tensor.data)[index]);
  }
  return 0;
}

ConstTensorView row_of(const ConstTensorView& batch, size_t row) {
  const std::vector<int64_t> dims(batch.shape.begin() + 1, batch.shape.end());
  ConstTensorView result(batch.type, Shape(dims), batch.data);
  result.data = static_cast<const std::byte*>(batch.data) + row * result.size_bytes();
  return result;
}

}  // namespace nestrt::tools
