// SPDX-License-Identifier: Apache-2.0
// ChannelSlice: a regular operator for kernels that computes some output channels of a divisible operator
// (runtime/plan/queries/channels.h), or some rows of one channel block. Its operands have fewer channels and rows and
// start at byte offsets into the full operands.
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
  // Cuts the operands of `whole` in place; `tensors` contains them, inputs first. Requires: `part` is one of the
  // results of rectangles_of() for a valid channel range (is_part()), so that a slice with fewer rows has a single
  // block.
  ChannelSlice(const plan::Operator& whole, std::span<TensorSpec> tensors, const ChannelRows& part);
  ChannelSlice(const ChannelSlice&) = delete;  // operands refer to it
  ChannelSlice& operator=(const ChannelSlice&) = delete;

  // Returns the attributes of `whole`. If it has groups, their number is reduced to the number of channels.
  const ops::Attributes& attributes() const { return attributes_; }

  // Returns the rows of the slice, or nullopt if it has all rows.
  const std::optional<RowWindow>& rows() const { return rows_; }

  // Returns, per operand, the offset in bytes of the first byte that the slice uses.
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
  std::deque<plan::Quantization> quantizations_;  // operands refer to these
};

}  // namespace nestrt::drivers
