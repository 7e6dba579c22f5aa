// SPDX-License-Identifier: Apache-2.0
#include "drivers/cpu/channel_slice.h"

namespace nestrt::drivers {

ChannelSlice::ChannelSlice(const plan::Operator& whole, std::span<TensorSpec> tensors, const ChannelRows& part)
    : part_(part), offsets_(tensors.size(), 0), attributes_(whole.attributes) {
  cut_groups();
  if (!part.has_all_rows()) rows_ = {part.first_row, part.last_row - part.first_row};
  const size_t num_inputs = whole.inputs.size();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const int axis = i < num_inputs ? channel_axis(whole.attributes, i) : 1;
    if (!tensors[i].present || axis == kUncut) continue;
    cut(tensors[i], axis, offsets_[i]);
    if (rows_ && axis == 1) cut_rows(tensors[i], offsets_[i]);
  }
}

void ChannelSlice::cut_groups() {
  ops::Conv* const conv = std::get_if<ops::Conv>(&attributes_);
  if (conv != nullptr && conv->group != 1) conv->group = static_cast<int32_t>(part_.end - part_.begin);
}

void ChannelSlice::cut(TensorSpec& operand, int axis, uint64_t& offset) {
  offset = static_cast<uint64_t>(bytes_of_channels(operand, axis, part_.begin));
  operand.shape[axis] = part_.end - part_.begin;
  if (operand.constant != nullptr) operand.constant += offset;
  if (operand.quantization != nullptr) operand.quantization = cut(*operand.quantization, axis);
}

// Requires a single channel block, whose rows are contiguous.
void ChannelSlice::cut_rows(TensorSpec& operand, uint64_t& offset) const {
  const int64_t row_bytes = operand.storage_bytes() / operand.shape[2];
  offset += static_cast<uint64_t>(rows_->first * row_bytes);
  operand.shape[2] = rows_->count;
}

// Returns the exponents of the slice's channels if there is one exponent per channel.
const plan::Quantization* ChannelSlice::cut(const plan::Quantization& whole, int axis) {
  const auto& exponents = whole.exponents;
  if (whole.axis != axis || exponents.size() < part_.end) return &whole;
  plan::Quantization& part = quantizations_.emplace_back();
  part.axis = axis;
  part.exponents.assign(exponents.begin() + part_.begin, exponents.begin() + part_.end);
  return &part;
}

}  // namespace nestrt::drivers
