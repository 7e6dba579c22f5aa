// ChannelSlice: some output channels of an operator that can be divided (runtime/plan/queries/channels.h), or some rows
// of a block of them, as an operator that kernels run like any other: operands with fewer channels and rows, a number
// of bytes into the whole ones.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "runtime/kernel/kernel.h"
#include "runtime/plan/queries/channels.h"

namespace nestrt::drivers {

class ChannelSlice {
 public:
  // Cuts the operands of `whole` in place; they lie in `tensors`, inputs first. Requires: one of rectangles_of() what
  // is_part(), so that where rows are left out there is one block.
  ChannelSlice(const plan::Operator& whole, std::span<TensorSpec> tensors, const ChannelRows& part);
  ChannelSlice(const ChannelSlice&) = delete;  // operands point into it
  ChannelSlice& operator=(const ChannelSlice&) = delete;

  // As those of `whole`, with as many groups as channels where it has.
  const ops::Attributes& attributes() const { return attributes_; }

  // Where it has not all rows: those that it has.
  const std::optional<RowWindow>& rows() const { return rows_; }

  // By operand: bytes from its start to the first that the slice uses.
  std::span<const uint64_t> offsets() const { return offsets_; }

 private:
  void cut_groups();
  void cut(TensorSpec& operand, int axis, uint64_t& offset);
  void cut_rows(TensorSpec& operand, uint64_t& offset) const;
  const plan::Quantization* cut(const plan::Quantization& whole, int axis);

  ChannelRows part_;
  std::optional<RowWindow> rows_;
  std::vector<uint64_t> offsets_;
  ops::Attributes attributes_;
  std::deque<plan::Quantization> quantizations_;  // that operands point to
};

}  // namespace nestrt::drivers
