// SPDX-License-Identifier: Apache-2.0
// The capability file: which operators a vendor's compiler accepts and what offloading costs. It controls how a model
// is divided.
//
//   name: NPU                          the backend of its parts
//   types: [f32]                       of every operand and result; f32, s8, u8, s32, s64, bool
//   operators:                         by ONNX name
//     Relu:                            any attributes
//     Conv:
//       types: [f32]                   overrides the types above
//       attributes:                    limits of every number of an attribute, if a node has the attribute
//         group: {max: 1}
//         kernel_shape: {min: 1, max: 7}
//         auto_pad: {values: [NOTSET]}
//   memory: {weights: 8000000, tensor: 4000000}      bytes: constants of a part; any one operand or result
//   region: {min_operators: 3, min_macs: 1000000}    smaller regions stay on the host
//   cost:                              a part must save more microseconds than its transfers cost
//     macs_per_us: 50000
//     host_macs_per_us: 4000
//     transfer_bytes_per_us: 1000      of inputs and outputs of a part
//     launch_us: 40                    for each part
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler-lite/export/export.h"
#include "nestrt/data_type.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

struct AttributeLimit {
  std::optional<double> min, max;   // of numbers
  std::vector<std::string> values;  // all allowed numbers or words; empty allows any
};

struct OperatorCapability {
  std::vector<DataType> types;  // empty selects the vendor's types
  std::map<std::string, AttributeLimit> attributes;
};

struct OffloadCost {
  double macs_per_us = 0;
  double host_macs_per_us = 0;
  double transfer_bytes_per_us = 0;
  double launch_us = 0;
};

struct Capability {
  std::string name;
  std::vector<DataType> types;
  std::map<std::string, OperatorCapability> operators;
  uint64_t weight_bytes = UINT64_MAX;  // limit of a part's constants in total
  uint64_t tensor_bytes = UINT64_MAX;  // limit per tensor
  uint32_t min_operators = 1;
  uint64_t min_macs = 0;
  std::optional<OffloadCost> cost;
  ExportForm form;  // of the ONNX that the compiler accepts
};

// Errors: kInvalidArgument with the line; kNotFound, kIo.
Result<Capability> parse_capability(const std::string& text, std::string_view name);
Result<Capability> read_capability(const std::string& path);

}  // namespace nestrt::compiler
