#include "drivers/cpu/channel_slice.h"

#include "runtime/plan/channels.h"
#include "runtime/plan/tables.h"

namespace nestrt::drivers {
namespace {

constexpr size_t kWeights = 1, kBias = 2;  // inputs

}  // namespace

ChannelSlice::ChannelSlice(std::span<TensorSpec> tensors, size_t num_inputs, ChannelRange channels)
    : channels_(channels), offsets_(tensors.size(), 0) {
  for (size_t i = kWeights; i < tensors.size(); ++i) {
    if (!tensors[i].present) continue;
    const bool by_outputs = i < num_inputs && (i == kWeights || i == kBias);
    cut(tensors[i], by_outputs ? 0 : 1, offsets_[i]);
  }
}

void ChannelSlice::cut(TensorSpec& operand, int axis, uint64_t& offset) {
  offset = static_cast<uint64_t>(bytes_of_channels(operand, axis, channels_.begin));
  operand.shape[axis] = channels_.end - channels_.begin;
  if (operand.constant != nullptr) operand.constant += offset;
  if (operand.quantization != nullptr) operand.quantization = cut(*operand.quantization, axis);
}

// The exponents of the channels, where each has its own.
const plan::Quantization* ChannelSlice::cut(const plan::Quantization& whole, int axis) {
  const auto& exponents = items(whole.exponents());
  if (whole.axis() != axis || exponents.size() < channels_.end) return &whole;
  plan::QuantizationT part;
  part.axis = axis;
  part.exponents.assign(exponents.begin() + channels_.begin, exponents.begin() + channels_.end);
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(plan::Quantization::Pack(builder, &part));
  quantizations_.push_back(builder.Release());
  return flatbuffers::GetRoot<plan::Quantization>(quantizations_.back().data());
}

}  // namespace nestrt::drivers
