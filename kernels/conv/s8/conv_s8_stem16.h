// SPDX-License-Identifier: Apache-2.0
// The parts of conv.s8.stem16 that depend on the instruction set: a copy function for each set, and rows computed with
// AMX tiles.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/common/framework/split.h"
#include "kernels/common/gemm_s8/s8_product.h"
#include "kernels/conv/geometry.h"
#include "runtime/core/function_ref.h"

namespace nestrt::kernels {

inline constexpr int64_t kInterleaveSlack = 16;

// to[column * rows + row] = from[row * from_stride + column]. `from_stride` and `columns` are multiples of 16. May
// write kInterleaveSlack unspecified bytes after the last element.
using S8InterleaveFunction = void (*)(const int8_t* from, int64_t from_stride, int64_t rows, int64_t columns,
                                      int8_t* to);
// Returns the implementation for the current instruction set.
S8InterleaveFunction s8_interleave_function();

// A row of outputs. The inputs of output x start at columns + x * step.
struct S8StemRow {
  const int8_t* columns = nullptr;
  int64_t step = 0;
  // The destination. `output` and `residual` are offset by `at` elements.
  std::byte* output = nullptr;
  const int8_t* residual = nullptr;  // or null
  int64_t at = 0;
  int64_t block_stride = 0;
};

// Computes rows of outputs, as an alternative to S8Product::run().
class S8StemRows {
 public:
  virtual ~S8StemRows() = default;
  // Returns the number of bytes that are read beyond the columns of a row; their values are not used.
  virtual int64_t slack(int64_t step) const = 0;
  // Calls run_one for each row. run_one may call run_row().
  virtual void run(Range rows, FunctionRef<void(int64_t row)> run_one) const = 0;
  virtual void run_row(const S8Product& product, const S8StemRow& row) const = 0;
};

// Returns whether make_s8_stem_tiles() supports the convolution on the current instruction set.
bool supports_s8_stem_tiles(const ConvGeometry& geometry);
// Requires: supports_s8_stem_tiles(), and a product with Multiplier::kCaller. Errors: kOutOfMemory.
Result<std::unique_ptr<S8StemRows>> make_s8_stem_tiles(const ConvGeometry& geometry, const S8Product& product);

}  // namespace nestrt::kernels
