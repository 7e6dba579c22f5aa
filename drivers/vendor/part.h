// SPDX-License-Identifier: Apache-2.0
// Part: a program as a plug-in receives it. Contains the blob, its files and the description of its ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nestrt/data_type.h"
#include "nestrt/shape.h"

namespace nestrt::vendor {

// An input or output of a part.
struct PortSpec {
  uint64_t bytes = 0;                 // in row-major order
  std::string name = {};              // in the model that the compiler received; empty if unknown
  std::optional<DataType> type = {};  // not set: type and shape are unknown
  Shape shape = {};
  // Quantized integers: real = (q - zero_point) * scale. Both lists have the same length.
  std::vector<float> scales = {};
  std::vector<int32_t> zero_points = {};
  int32_t axis = -1;  // of several scales
};

struct Part {
  struct File {
    std::string name;
    uint64_t offset = 0, size = 0;  // within the blob
  };
  std::span<const std::byte> blob;  // aligned to 64 bytes
  std::vector<PortSpec> inputs, outputs;
  std::vector<File> files = {};

  size_t num_ports() const { return inputs.size() + outputs.size(); }
  // Returns port `index`, counted from the first input.
  const PortSpec& port(size_t index) const {
    return index < inputs.size() ? inputs[index] : outputs[index - inputs.size()];
  }
};

}  // namespace nestrt::vendor
