// SPDX-License-Identifier: Apache-2.0
// Transfers of regions that may need several instructions: rows whose distance exceeds the stride field are moved one
// by one.
#pragma once

#include <cstdint>

#include "compiler-lite/codegen/evta/program/program_builder.h"

namespace nestrt::compiler::evta {

// Same as isa::Transfer, but without limits on the sizes, which count elements of `memory`.
struct Region {
  isa::Memory memory = isa::Memory::kInp;
  int64_t sram = 0;
  int64_t dram = 0;
  int64_t rows = 1;
  int64_t row_size = 1;
  int64_t stride = 1;
  int64_t pad_top = 0;
  int64_t pad_bottom = 0;
  int64_t pad_left = 0;
  int64_t pad_right = 0;
};

struct TransferIds {
  InstructionId first = 0;
  InstructionId last = 0;
};

// Requires row counts and row sizes that fit the on-chip memory, and pads of at most 15. Appends a STORE if the memory
// is OUT.
TransferIds append_transfer(ProgramBuilder& builder, const Region& region);

// The moved part of an axis and the zeros around it. A step above 1 skips elements.
struct Extent {
  int64_t first = 0;
  int64_t count = 0;
  int64_t pad_begin = 0;
  int64_t pad_end = 0;
  int64_t step = 1;

  int64_t padded() const { return pad_begin + count + pad_end; }
};

// The same window of successive planes of a tensor in DRAM.
struct Planes {
  int64_t dram = 0;  // the first plane
  int64_t count = 1;
  int64_t height = 1;
  int64_t width = 1;
  Extent y, x;  // x.step is 1
};

// Places the planes consecutively in SRAM, starting at `sram`.
TransferIds move_planes(ProgramBuilder& builder, isa::Memory memory, int64_t sram, const Planes& planes);

}  // namespace nestrt::compiler::evta
