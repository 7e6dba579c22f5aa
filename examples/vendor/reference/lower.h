// SPDX-License-Identifier: Apache-2.0
// Lowers an ONNX model to a program: shapes by ONNX's own inference, weights as int8.
#pragma once

#include <stdexcept>
#include <string>

#include "program.h"

namespace reference {

// Something that the compiler does not support, with the node.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// `model`: bytes of an ONNX file with fixed shapes and f32. Throws Refused.
Program lower(const std::string& model);

}  // namespace reference
