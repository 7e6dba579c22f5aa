// From an ONNX model to a program: shapes by ONNX's own inference, weights to int8.
#pragma once

#include <stdexcept>
#include <string>

#include "program.h"

namespace reference {

// What the compiler cannot take, with the node.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// `model`: bytes of an ONNX file, of fixed shapes and f32. Throws Refused.
Program lower(const std::string& model);

}  // namespace reference
