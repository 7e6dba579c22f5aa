// RowKernel: a kernel that also computes some rows of its output alone, from some rows of its input. Those that run
// kernels can so take several in turns, a few rows each, and what is between them stays in a cache
// (kernels/common/framework/row_chain.h).
//
// Input 0 and the output are images of blocks of 16 channels (Layout::kBlocked16), each of as many rows:
// [images][blocks] [rows][bytes of a row]. A plain input is taken for one of blocks of one channel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nestrt/driver/kernel.h"

namespace nestrt {

struct RowImages {
  int64_t images = 0;
  int64_t blocks = 0;
  int64_t rows = 0;
  int64_t row_bytes = 0;  // of a block

  int64_t block_bytes() const { return rows * row_bytes; }
  int64_t image_bytes() const { return blocks * block_bytes(); }
  bool operator==(const RowImages&) const = default;
};

struct RowCall {
  // Rows of one image's output, one or more.
  RowWindow rows;
  std::byte* output = nullptr;          // the first of them, of the first block
  const std::byte* residual = nullptr;  // likewise, or null
  int64_t output_block_bytes = 0;       // to the next block's, of the residual, too
  // Rows of that image's input: input_rows() at least.
  RowWindow input_rows;
  const std::byte* input = nullptr;
  int64_t input_block_bytes = 0;
  std::byte* scratch = nullptr;  // row_scratch() bytes, aligned to 64
};

class RowKernel {
 public:
  virtual RowImages row_input() const = 0;
  virtual RowImages row_output() const = 0;
  // That so many rows of the output read at most; saturated.
  virtual int64_t most_input_rows(int64_t rows) const = 0;
  // That these read, of those that there are.
  virtual RowWindow input_rows(RowWindow rows) const = 0;
  virtual size_t row_scratch(int64_t rows) const = 0;
  // The same bits as run(), in this thread.
  virtual void run_rows(const RowCall& call) const = 0;

 protected:
  ~RowKernel() = default;
};

}  // namespace nestrt
