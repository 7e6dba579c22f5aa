// SPDX-License-Identifier: Apache-2.0
// Lowers an ONNX model to a program. ONNX's shape inference determines the shapes; weights become int8.
#pragma once

#include <stdexcept>
#include <string>

#include "program.h"

namespace reference {

// An unsupported feature, with the node that uses it.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Lowers a model. `model`: bytes of an ONNX file with fixed shapes and f32. Throws Refused.
Program lower(const std::string& model);

}  // namespace reference
