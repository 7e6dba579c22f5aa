// Transfers of regions that may need several instructions: rows further apart than a stride can say are moved one by
// one.
#pragma once

#include <cstdint>

#include "compiler-lite/codegen/evta/program/program_builder.h"

namespace nestrt::compiler::evta {

// As isa::Transfer, with sizes of any width. Elements of `memory`.
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

// Requires rows and rows of sizes that fit the on-chip memory, and pads of at most 15. A STORE where the memory is OUT.
TransferIds append_transfer(ProgramBuilder& builder, const Region& region);

// The part of an axis that is moved, and the zeros around it. With a step of more than 1, elements between are left
// out.
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

// In SRAM they lie one after the other from `sram` on.
TransferIds move_planes(ProgramBuilder& builder, isa::Memory memory, int64_t sram, const Planes& planes);

}  // namespace nestrt::compiler::evta
