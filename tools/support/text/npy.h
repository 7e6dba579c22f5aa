// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files, format versions 1 to 3 (numpy.lib.format).
//
// Read: f4, f8 (rounded to f32), i1, u1, i4, i8, b1; little-endian, C order. Everything else is rejected with an error
// that contains the numpy expression which converts it. A file is untrusted: the header is bounded, the shape checked
// for overflow, and the data must have exactly the size that the header declares.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/result.h"
#include "nestrt/tensor.h"

namespace nestrt::tools {

struct Array {
  DataType type = DataType::kF32;
  Shape shape;
  std::vector<std::byte> bytes;  // dense, row-major

  ConstTensorView view() const { return {type, shape, bytes.data()}; }
};

// Errors: kNotFound, kIo, kInvalidArgument, kUnsupported.
Result<Array> read_npy(const std::string& path);
// Parses a file's content; `name` appears in messages.
Result<Array> parse_npy(std::span<const std::byte> content, std::string_view name);

// Returns the part of a version 1.0 file that precedes the elements.
std::string npy_header(DataType type, const Shape& shape);
// Returns the content of a version 1.0 file.
std::vector<std::byte> format_npy(const ConstTensorView& tensor);
Status write_npy(const std::string& path, const ConstTensorView& tensor);

}  // namespace nestrt::tools
