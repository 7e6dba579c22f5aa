// What conv.s8.stem16 has for some instruction sets: its copies, in one function for each, and rows with tiles of AMX.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/common/framework/split.h"
#include "kernels/common/gemm_s8/s8_product.h"
#include "kernels/conv/geometry.h"
#include "nestrt/driver/function_ref.h"

namespace nestrt::kernels {

inline constexpr int64_t kInterleaveSlack = 16;

// to[column * rows + row] = from[row * from_stride + column]. `from_stride` and `columns` are multiples of 16. May
// write kInterleaveSlack bytes of anything behind the last element.
using S8InterleaveFunction = void (*)(const int8_t* from, int64_t from_stride, int64_t rows, int64_t columns,
                                      int8_t* to);
// The implementation for the current instruction set.
S8InterleaveFunction s8_interleave_function();

// A row of outputs: what output x reads lies from columns + x * step on.
struct S8StemRow {
  const int8_t* columns = nullptr;
  int64_t step = 0;
  // Where it goes: so many elements into these.
  std::byte* output = nullptr;
  const int8_t* residual = nullptr;  // or null
  int64_t at = 0;
  int64_t block_stride = 0;
};

// Computes rows of outputs in place of S8Product::run().
class S8StemRows {
 public:
  virtual ~S8StemRows() = default;
  // Bytes of anything that are read behind a row's columns.
  virtual int64_t slack(int64_t step) const = 0;
  // Calls run_one for each, which may call run_row().
  virtual void run(Range rows, FunctionRef<void(int64_t row)> run_one) const = 0;
  virtual void run_row(const S8Product& product, const S8StemRow& row) const = 0;
};

// Whether make_s8_stem_tiles() is for that convolution on the current instruction set.
bool takes_s8_stem_tiles(const ConvGeometry& geometry);
// Requires: takes_s8_stem_tiles(), and a product of Multiplier::kCaller. Errors: kOutOfMemory.
Result<std::unique_ptr<S8StemRows>> make_s8_stem_tiles(const ConvGeometry& geometry, const S8Product& product);

}  // namespace nestrt::kernels
