#include "drivers/cpu/channel_slice.h"

#include "runtime/plan/channels.h"

namespace nestrt::drivers {

ChannelSlice::ChannelSlice(const plan::Operator& whole, std::span<TensorSpec> tensors, ChannelRange channels)
    : channels_(channels), offsets_(tensors.size(), 0), attributes_(whole.attributes) {
  cut_groups();
  const size_t num_inputs = whole.inputs.size();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const int axis = i < num_inputs ? channel_axis(whole.attributes, i) : 1;
    if (tensors[i].present && axis != kUncut) cut(tensors[i], axis, offsets_[i]);
  }
}

void ChannelSlice::cut_groups() {
  ops::Conv* const conv = std::get_if<ops::Conv>(&attributes_);
  if (conv != nullptr && conv->group != 1) conv->group = static_cast<int32_t>(channels_.end - channels_.begin);
}

void ChannelSlice::cut(TensorSpec& operand, int axis, uint64_t& offset) {
  offset = static_cast<uint64_t>(bytes_of_channels(operand, axis, channels_.begin));
  operand.shape[axis] = channels_.end - channels_.begin;
  if (operand.constant != nullptr) operand.constant += offset;
  if (operand.quantization != nullptr) operand.quantization = cut(*operand.quantization, axis);
}

// The exponents of the channels, where each has its own.
const plan::Quantization* ChannelSlice::cut(const plan::Quantization& whole, int axis) {
  const auto& exponents = whole.exponents;
  if (whole.axis != axis || exponents.size() < channels_.end) return &whole;
  plan::Quantization& part = quantizations_.emplace_back();
  part.axis = axis;
  part.exponents.assign(exponents.begin() + channels_.begin, exponents.begin() + channels_.end);
  return &part;
}

}  // namespace nestrt::drivers
