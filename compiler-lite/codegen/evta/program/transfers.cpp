// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/program/transfers.h"

namespace nestrt::compiler::evta {
namespace {

constexpr int64_t kMaxStride = 65535;

InstructionId append_one(ProgramBuilder& builder, const Region& region) {
  const isa::Transfer transfer = {.memory = region.memory,
                                  .sram_base = static_cast<uint32_t>(region.sram),
                                  .dram_base = static_cast<uint32_t>(region.dram),
                                  .y_size = static_cast<uint16_t>(region.rows),
                                  .x_size = static_cast<uint16_t>(region.row_size),
                                  .x_stride = static_cast<uint16_t>(region.stride),
                                  .y_pad_begin = static_cast<uint8_t>(region.pad_top),
                                  .y_pad_end = static_cast<uint8_t>(region.pad_bottom),
                                  .x_pad_begin = static_cast<uint8_t>(region.pad_left),
                                  .x_pad_end = static_cast<uint8_t>(region.pad_right)};
  return region.memory == isa::Memory::kOut ? builder.store(transfer) : builder.load(transfer);
}

// Joins rows without gaps into one row, which is a single burst.
Region joined(Region region) {
  const bool padded = region.pad_left > 0 || region.pad_right > 0 || region.pad_top > 0 || region.pad_bottom > 0;
  if (region.rows > 1 && region.stride == region.row_size && !padded) {
    region.row_size *= region.rows;
    region.rows = 1;
  }
  if (region.rows == 1) region.stride = region.row_size;
  return region;
}

Region first_window(isa::Memory memory, int64_t sram, const Planes& planes) {
  return {.memory = memory,
          .sram = sram,
          .dram = planes.dram + planes.y.first * planes.width + planes.x.first,
          .rows = planes.y.count,
          .row_size = planes.x.count,
          .stride = planes.y.step * planes.width,
          .pad_top = planes.y.pad_begin,
          .pad_bottom = planes.y.pad_end,
          .pad_left = planes.x.pad_begin,
          .pad_right = planes.x.pad_end};
}

// Returns true if the moved part of a plane is contiguous and without padding.
bool is_contiguous(const Planes& planes) {
  const Extent &y = planes.y, &x = planes.x;
  const bool padded = x.padded() != x.count || y.padded() != y.count;
  return !padded && x.count == planes.width && (y.step == 1 || y.count == 1);
}

}  // namespace

TransferIds append_transfer(ProgramBuilder& builder, const Region& region) {
  const Region whole = joined(region);
  if (whole.stride <= kMaxStride) {
    const InstructionId only = append_one(builder, whole);
    return {only, only};
  }
  TransferIds ids;
  Region row = whole;
  row.rows = 1;
  row.stride = whole.row_size;
  for (int64_t i = 0; i < whole.rows; ++i) {
    row.pad_top = i == 0 ? whole.pad_top : 0;
    row.pad_bottom = i + 1 == whole.rows ? whole.pad_bottom : 0;
    ids.last = append_one(builder, row);
    if (i == 0) ids.first = ids.last;
    row.sram += (row.pad_top + 1) * (whole.pad_left + whole.row_size + whole.pad_right);
    row.dram += whole.stride;
  }
  return ids;
}

TransferIds move_planes(ProgramBuilder& builder, isa::Memory memory, int64_t sram, const Planes& planes) {
  Region window = first_window(memory, sram, planes);
  const int64_t plane = planes.height * planes.width;
  if (is_contiguous(planes)) {  // one row of each plane
    window.row_size *= window.rows;
    window.rows = planes.count;
    window.stride = plane;
    return append_transfer(builder, window);
  }
  TransferIds ids;
  for (int64_t i = 0; i < planes.count; ++i) {
    const TransferIds one = append_transfer(builder, window);
    if (i == 0) ids.first = one.first;
    ids.last = one.last;
    window.sram += planes.y.padded() * planes.x.padded();
    window.dram += plane;
  }
  return ids;
}

}  // namespace nestrt::compiler::evta
